/** Prepares the messages of the display board: the last rounds, and the limits in pages. Pure functions. */
import type { Limits, PublicTable } from "../wire.ts";

/** The announcement of the last rounds, or null. `count` includes the round in progress. */
export function ending(
	table: PublicTable,
): { word: "last_rounds" | "last_round" | "closes_now"; count: number } | null {
	const count = table.last_rounds;
	if (count === null || table.phase === "closed") return null;
	return { word: count > 1 ? "last_rounds" : count === 1 ? "last_round" : "closes_now", count };
}

/** The server sends this value as the maximum where none is set. */
const NO_MAXIMUM = 100_000_000_000;

/** Equal limits of one or more kinds of bets. */
export interface LimitRow {
	/** Types of bets, positions, or one of `each_bet`, `in_all`, `whole_table`. */
	readonly of: readonly string[];
	readonly min: number | null;
	readonly max: number | null;
}

/** Groups equal limits into rows. */
export function limitRows(limits: Limits): LimitRow[] {
	const rows: LimitRow[] = [];
	const add = (of: string, low: number | undefined, high: number | undefined) => {
		const min = low && low > 1 ? low : null;
		const max = high !== undefined && high < NO_MAXIMUM ? high : null;
		if (min === null && max === null) return;
		const same = rows.findIndex((row) => row.min === min && row.max === max && min !== null && max !== null);
		const found = rows[same];
		if (found) rows[same] = { ...found, of: [...found.of, of] };
		else rows.push({ of: [of], min, max });
	};
	add("each_bet", limits.seat?.min, undefined);
	for (const [of, bounds] of Object.entries({ ...limits.types, ...limits.positions })) add(of, bounds.min, bounds.max);
	add("in_all", undefined, limits.seat?.max);
	add("whole_table", undefined, limits.table);
	return rows;
}

/** Divides the rows into pages with `places` places, two side by side. A row for which `broad` is true takes two places. */
export function paged(rows: readonly LimitRow[], places: number, broad: (row: LimitRow) => boolean): LimitRow[][] {
	const pages: LimitRow[][] = [];
	let left = 0;
	for (const row of rows) {
		// A broad row starts at the left.
		const needs = broad(row) ? 2 + (left % 2) : 1;
		if (needs > left) {
			pages.push([]);
			left = places;
		}
		pages.at(-1)?.push(row);
		left -= broad(row) ? 2 + (left % 2) : 1;
	}
	return pages;
}

/** The approximate width of a text in Latin letters, to choose its size. */
export function breadth(sentence: string): number {
	let sum = 0;
	for (const letter of sentence) sum += letter >= "\u2e80" ? 1.9 : letter >= "\u0b80" && letter <= "\u0bff" ? 1.15 : 1;
	return sum;
}
