/** Reports and meters as tables: their columns, cell texts and CSV. The server has calculated all figures. */

import { csv, plain, spoken } from "../lib/format.ts";
import { amount } from "../lib/money.ts";
import type { GroupBy, MetersRow, Report, ReportRow, Significant } from "../wire.ts";

export type Column =
	| "table"
	| "day"
	| "shift"
	| "seat"
	| "rounds"
	| "handle"
	| "paid"
	| "win"
	| "hold_percent"
	| "bought"
	| "tickets_in"
	| "drop"
	| "tickets_out"
	| "voids"
	| "corrections"
	| "shortfall"
	| "late_bets"
	| "credits"
	| "on_layout";

const NAMES: readonly Column[] = ["table", "day", "shift", "seat"];
const MONEY: ReadonlySet<Column> = new Set([
	"handle",
	"paid",
	"win",
	"bought",
	"tickets_in",
	"drop",
	"tickets_out",
	"shortfall",
	"credits",
	"on_layout",
]);
const FIGURES: readonly Column[] = [
	"rounds",
	"handle",
	"paid",
	"win",
	"hold_percent",
	"bought",
	"tickets_in",
	"drop",
	"tickets_out",
	"voids",
	"corrections",
	"shortfall",
	"late_bets",
];

export const METERS: readonly Column[] = [
	"table",
	"seat",
	...FIGURES.filter((one) => one !== "hold_percent"),
	"credits",
	"on_layout",
];

const BY: Record<GroupBy, readonly Column[]> = {
	table: ["table"],
	shift: ["table", "day", "shift"],
	day: ["table", "day"],
	seat: ["table", "seat"],
};

export function columnsOf(report: Report): Column[] {
	return [...BY[report.by], ...FIGURES];
}

/** Whether a column names the row instead of holding a figure. */
export const isName = (column: Column): boolean => NAMES.includes(column);

/** The text of a cell: amounts are formatted, empty values are "". */
export function cellText(row: ReportRow | MetersRow, column: Column): string {
	const value = (row as unknown as Record<Column, string | number | null>)[column];
	if (value === null || value === undefined) return "";
	return typeof value === "number" && MONEY.has(column) ? amount(value) : String(value);
}

/** The rows as CSV. Amounts stay in cents, as the server sent them. */
export function asCsv(rows: readonly (ReportRow | MetersRow)[], columns: readonly Column[]): string {
	const heads = columns.map((column) => (MONEY.has(column) ? `${column}_cents` : column));
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
