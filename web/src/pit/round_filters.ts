/** The filters of a list of rounds, as they are in the address of the page. Pure functions. */

import { amount } from "../lib/money.ts";
import type { RoundRow } from "../wire.ts";

/** Filters that a person can type or choose, in the order of the form. */
export const FILTERS = ["from", "to", "table", "seat", "person", "game", "kind", "status", "ticket", "entry"] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Record<Filter, string>;

/** Columns whose figures are made of money at the cage, not of rounds. */
const MOVEMENTS: ReadonlySet<string> = new Set(["bought", "reversed", "tickets_in", "drop", "tickets_out"]);
const COUNTS: ReadonlySet<string> = new Set([
	"rounds",
	"played",
	"adjustments",
	"voids",
	"corrections",
	"late_bets",
	"theory_rounds",
]);

export const isMovements = (column: string | null): boolean => column !== null && MOVEMENTS.has(column);

export function filtersOf(query: string): Filters {
	const given = new URLSearchParams(query);
	return Object.fromEntries(FILTERS.map((name) => [name, given.get(name) ?? ""])) as Filters;
}

/** The query with other filters. It keeps the parameters that the form does not show, such as the column. */
export function withFilters(query: string, filters: Filters): string {
	const changed = new URLSearchParams(query);
	for (const name of FILTERS) {
		const value = filters[name].trim();
		if (value) changed.set(name, value);
		else changed.delete(name);
	}
	return String(changed);
}

/** The address of a page of the list at the server. Without a period or a column, the latest rounds come first. */
export function roundsAddress(query: string, after: string | null): string {
	const asked = new URLSearchParams(query);
	const isMoney = isMovements(asked.get("column"));
	if (!isMoney && !asked.has("column")) asked.set("newest", "true");
	if (after !== null) asked.set("after", after);
	return `/api/${isMoney ? "movements" : "rounds"}${asked.size ? `?${asked}` : ""}`;
}

/** The contribution of a round to the figure. A fraction is shown rounded. */
export function contribution(row: RoundRow, column: string): string {
	if (row.exact !== null) return exact([row.exact], column);
	if (row.amount === null) return "";
	return COUNTS.has(column) ? signed(row.amount) : amount(row.amount);
}

/** The sum of the contributions, which is the figure that the list belongs to. */
export function total(rows: readonly RoundRow[], column: string): string {
	if (rows.some((row) => row.exact !== null))
		return exact(
			rows.map((row) => row.exact ?? "0"),
			column,
		);
	const sum = rows.reduce((all, row) => all + (row.amount ?? 0), 0);
	return COUNTS.has(column) ? signed(sum) : amount(sum);
}

const signed = (count: number): string => String(count).replace(/^-/, "−");

/** The sum of fractions as text: an amount, or a variance in squared minor units. Exact until the last step. */
function exact(fractions: readonly string[], column: string): string {
	const rounded = roundedSum(fractions);
	return column === "variance" ? rounded.toLocaleString("en") : amount(rounded);
}

function roundedSum(fractions: readonly string[]): number {
	let [above, below] = [0n, 1n];
	for (const fraction of fractions) {
		const [n = "0", d = "1"] = fraction.split("/");
		above = above * BigInt(d) + BigInt(n) * below;
		below *= BigInt(d);
		const shared = divisor(above < 0n ? -above : above, below);
		above /= shared;
		below /= shared;
	}
	const doubled = ((above < 0n ? -above : above) * 2n) / below;
	const rounded = Number((doubled + 1n) / 2n);
	return above < 0n && rounded ? -rounded : rounded;
}

function divisor(a: bigint, b: bigint): bigint {
	return b === 0n ? a || 1n : divisor(b, a % b);
}
