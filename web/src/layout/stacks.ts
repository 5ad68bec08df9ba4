/** Divides an amount into stacked chips and gives each chip its colours. It is only a picture: the stake is the amount. */

import { onChip } from "../lib/money.ts";

export interface Livery {
	rim: string;
	spots: string;
}

/** By place among the table's chips, lowest first. */
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

/** The fewest chips from the highest down, lowest disc first. Beyond `most` the stack grows no higher: its label tells the amount. */
export function discs(cents: number, chips: readonly number[], most = 5): number[] {
	const stack: number[] = [];
	let rest = cents;
	for (const chip of [...chips].sort((a, b) => b - a)) {
		while (chip > 0 && rest >= chip && stack.length < most) {
			stack.push(chip);
			rest -= chip;
		}
	}
	const least = Math.min(...chips);
	if (stack.length === 0 && cents > 0) stack.push(Number.isFinite(least) ? least : cents);
	return stack;
}

/** Letters on a chip of radius 1, by how many there are. */
export function letterSize(label: string): number {
	return [0.95, 0.95, 0.88, 0.68, 0.56, 0.46][label.length] ?? 0.4;
}

/** As on a single chip, but with no more letters than can be read on a stack. Cut off, never rounded up. */
export function labelled(cents: number): string {
	const [figures, unit] = [onChip(cents).replace(/[kM]$/, ""), /[kM]$/.exec(onChip(cents))?.[0] ?? ""];
	const room = 5 - unit.length;
	return (figures.includes(".") ? figures.slice(0, room).replace(/\.$/, "") : figures) + unit;
}
