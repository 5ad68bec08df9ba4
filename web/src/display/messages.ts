/** Selects and arranges the messages of the display board: the announced end, the limits by page, and the width of a text. Pure functions. */
import type { Limits, PublicTable } from "../wire.ts";

/** The announcement of the last rounds, counting the one in progress, or null. */
export function ending(
	table: PublicTable,
): { word: "last_rounds" | "last_round" | "closes_now"; count: number } | null {
	const count = table.last_rounds;
	if (count === null || table.phase === "closed") return null;
	return { word: count > 1 ? "last_rounds" : count === 1 ? "last_round" : "closes_now", count };
}

/** The maximum that the server sends where none is set. */
const NO_MAXIMUM = 100_000_000_000;

export interface LimitLine {
	/** Types of bets, positions, or one of `each_bet`, `in_all`, `whole_table`. */
	readonly of: readonly string[];
	readonly min: number | null;
	readonly max: number | null;
}

/** One line for each set of equal limits. */
export function limitLines(limits: Limits): LimitLine[] {
	const lines: LimitLine[] = [];
	const add = (of: string, low: number | undefined, high: number | undefined) => {
		const min = low && low > 1 ? low : null;
		const max = high !== undefined && high < NO_MAXIMUM ? high : null;
		if (min === null && max === null) return;
		const same = lines.findIndex((line) => line.min === min && line.max === max && min !== null && max !== null);
		const found = lines[same];
		if (found) lines[same] = { ...found, of: [...found.of, of] };
		else lines.push({ of: [of], min, max });
	};
	add("each_bet", limits.seat?.min, undefined);
	for (const [of, bounds] of Object.entries({ ...limits.types, ...limits.positions })) add(of, bounds.min, bounds.max);
	add("in_all", undefined, limits.seat?.max);
	add("whole_table", undefined, limits.table);
	return lines;
}

/** Divides the lines into pages of `places` places. A `broad` line takes two. */
export function paged(lines: readonly LimitLine[], places: number, broad: (line: LimitLine) => boolean): LimitLine[][] {
	const pages: LimitLine[][] = [];
	let left = 0;
	for (const line of lines) {
		// A broad line begins a new row.
		const needs = broad(line) ? 2 + (left % 2) : 1;
		if (needs > left) {
			pages.push([]);
			left = places;
		}
		pages.at(-1)?.push(line);
		left -= broad(line) ? 2 + (left % 2) : 1;
	}
	return pages;
}

/** The approximate width of a text in Latin letters, to choose its size. */
export function breadth(sentence: string): number {
	let sum = 0;
	for (const letter of sentence) sum += letter >= "\u2e80" ? 1.9 : letter >= "\u0b80" && letter <= "\u0bff" ? 1.15 : 1;
	return sum;
}
