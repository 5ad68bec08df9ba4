/** Divides an amount into stacked chips for drawing, and gives each chip its colours. */

import { onChip } from "../lib/money.ts";

/** The colours of a chip. */
export interface Livery {
	rim: string;
	spots: string;
}

/** The colours by index of the chip among the table's chips, lowest value first. */
const LIVERIES: readonly Livery[] = [
	{ rim: "#d9d3c3", spots: "#33526e" },
	{ rim: "#b3372c", spots: "#f6efdf" },
	{ rim: "#2566a8", spots: "#f6efdf" },
	{ rim: "#1f7a4d", spots: "#f3d98b" },
	{ rim: "#23262a", spots: "#e9e2d0" },
	{ rim: "#6d3a96", spots: "#f2dfa6" },
	{ rim: "#c4761a", spots: "#fff4dc" },
	{ rim: "#8a2f57", spots: "#bfe3ea" },
	{ rim: "#17707a", spots: "#f7d9c8" },
	{ rim: "#7a5a24", spots: "#f8eecb" },
];

export function livery(cents: number, chips: readonly number[]): Livery {
	const index = Math.max(0, chips.indexOf(cents));
	return LIVERIES[index % LIVERIES.length] as Livery;
}

/**
 * The chips of a stack in cents, from the bottom, with the highest value first.
 * Only the first `maxChips` chips are drawn. The label of the stack shows the whole amount.
 */
export function discs(cents: number, chips: readonly number[], maxChips = 5): number[] {
	const stack: number[] = [];
	let rest = cents;
	for (const chip of [...chips].sort((a, b) => b - a)) {
		while (chip > 0 && rest >= chip && stack.length < maxChips) {
			stack.push(chip);
			rest -= chip;
		}
	}
	const lowest = Math.min(...chips);
	if (stack.length === 0 && cents > 0) stack.push(Number.isFinite(lowest) ? lowest : cents);
	return stack;
}

/** The font size of a label on a chip of radius 1, by its length. */
export function letterSize(label: string): number {
	return [0.95, 0.95, 0.88, 0.68, 0.56, 0.46][label.length] ?? 0.4;
}

/** The label of a stack: like that of a chip, but at most five characters. It is truncated, never rounded up. */
export function labelled(cents: number): string {
	const [figures, unit] = [onChip(cents).replace(/[kM]$/, ""), /[kM]$/.exec(onChip(cents))?.[0] ?? ""];
	const space = 5 - unit.length;
	return (figures.includes(".") ? figures.slice(0, space).replace(/\.$/, "") : figures) + unit;
}
