/** Reports and meters as tables: their columns, cell texts, links and CSV. The server has calculated all figures. */

import { csv, plain, spoken } from "../lib/format.ts";
import { amount } from "../lib/money.ts";
import type { GroupBy, MetersRow, Report, ReportRow, Significant } from "../wire.ts";

/** The columns of a report that hold a figure. */
const FIGURES = [
	"played",
	"played_handle",
	"played_win",
	"adjustments",
	"adjusted_handle",
	"adjusted",
	"rounds",
	"handle",
	"paid",
	"win",
	"hold_percent",
	"theory_rounds",
	"theory_handle",
	"theory_win",
	"theoretical",
	"sigma",
	"z",
	"bought",
	"reversed",
	"tickets_in",
	"drop",
	"tickets_out",
	"voids",
	"corrections",
	"shortfall",
	"late_bets",
] as const;
type Figure = (typeof FIGURES)[number];
const NAMES = ["table", "day", "shift", "seat", "dealer", "game", "kind"] as const;
type Name = (typeof NAMES)[number];
export type Column = Name | Figure | "credits" | "on_layout" | "at";

/** Parts of a report that fit on a screen. The CSV has all of them. */
export const PARTS = ["play", "theory", "cash"] as const;
export type Part = (typeof PARTS)[number];
const COLUMNS: Record<Part, readonly Figure[]> = {
	play: [
		"played",
		"played_handle",
		"played_win",
		"adjustments",
		"adjusted",
		"win",
		"hold_percent",
		"voids",
		"corrections",
		"late_bets",
	],
	theory: ["theory_rounds", "theory_handle", "theory_win", "theoretical", "sigma", "z"],
	cash: ["bought", "reversed", "tickets_in", "drop", "tickets_out", "shortfall"],
};

const COUNTS: ReadonlySet<string> = new Set([
	"played",
	"adjustments",
	"rounds",
	"theory_rounds",
	"voids",
	"corrections",
	"late_bets",
]);
const isMoney = (column: Column): boolean =>
	column === "credits" ||
	column === "on_layout" ||
	(!isName(column) && !COUNTS.has(column) && column !== "hold_percent" && column !== "z");

export const METERS: readonly Column[] = [
	"table",
	"seat",
	"rounds",
	"handle",
	"paid",
	"win",
	"bought",
	"reversed",
	"tickets_in",
	"drop",
	"tickets_out",
	"voids",
	"corrections",
	"shortfall",
	"late_bets",
	"credits",
	"on_layout",
];

const BY: Record<GroupBy, readonly Column[]> = {
	table: ["table"],
	shift: ["table", "day", "shift"],
	day: ["table", "day"],
	seat: ["table", "seat"],
	dealer: ["dealer"],
	game: ["game"],
	kind: ["kind"],
};

/** The columns of a part of a report, or all columns without one. */
export function columnsOf(report: Report, part: Part | null = null): Column[] {
	return [...BY[report.by], ...(part === null ? FIGURES : COLUMNS[part])];
}

/** Whether a column names the row instead of holding a figure. */
export const isName = (column: Column): boolean => (NAMES as readonly string[]).includes(column);

/** The text of a cell: amounts are formatted, empty values are "". A figure has one kind of minus sign. */
export function cellText(row: ReportRow | MetersRow, column: Column): string {
	const value = (row as unknown as Record<Column, string | number | null>)[column];
	if (value === null || value === undefined) return "";
	if (typeof value === "number") return isMoney(column) ? amount(value) : String(value).replace(/^-/, "−");
	return isName(column) ? value : value.replace(/^-/, "−");
}

/** For figures that are calculated from others: the column whose rounds they are made of. */
const MADE_OF: Partial<Record<Column, string>> = {
	hold_percent: "win",
	theoretical: "theoretical_win",
	sigma: "variance",
	z: "theoretical_win",
};

/** The address of the rounds of which a figure is made, or null for a figure that no round contributes to. */
export function roundsBehind(row: ReportRow, column: Column): string | null {
	const value = (row as unknown as Record<Column, string | number | null>)[column];
	if (value === null || value === undefined || isName(column)) return null;
	if (value === 0 && row.played === 0 && row.adjustments === 0) return null;
	const query = new URLSearchParams(row.where);
	query.set("column", MADE_OF[column] ?? column);
	return `#rounds?${query}`;
}

/** The rows as CSV. Amounts stay in minor units, as the server sent them. */
export function asCsv(rows: readonly (ReportRow | MetersRow)[], columns: readonly Column[]): string {
	const heads = columns.map((column) => (isMoney(column) ? `${column}_cents` : column));
	return csv(
		heads,
		rows.map((row) =>
			columns.map((column) => (row as unknown as Record<Column, string | number | null>)[column] ?? null),
		),
	);
}

/** The details of an event in one line, without its columns. Hashes are shortened; the CSV has them in full. */
export function detailOf(event: Significant): string {
	return Object.entries(event.detail ?? {})
		.filter(([name, value]) => name !== "asked_by" && value !== null && value !== "")
		.map(([name, value]) => `${plain(name)}: ${spoken(shorten(value))}`)
		.join(" · ");
}

function shorten(value: unknown): string {
	if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(", ");
	if (typeof value === "object") return JSON.stringify(value);
	return String(value).replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, "$1…");
}

export function eventsCsv(events: readonly Significant[]): string {
	const heads = ["table", "seq", "at", "kind", "round", "seat", "cents", "by", "who", "second", "detail"];
	return csv(
		heads,
		events.map((one) => [
			one.table,
			one.seq,
			one.at,
			one.kind,
			one.round ?? null,
			one.seat ?? null,
			one.cents ?? null,
			one.by ?? null,
			one.who ?? null,
			one.second ?? null,
			JSON.stringify(one.detail ?? {}),
		]),
	);
}

/** The address of a report. Empty arguments are left out. */
export function reportAddress(by: GroupBy, table: string, first: string, last: string): string {
	const query = new URLSearchParams({ by });
	if (table) query.set("table", table);
	if (first) query.set("first", first);
	if (last) query.set("last", last);
	return `/api/report?${query}`;
}
