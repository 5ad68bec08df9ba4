/** Tests the columns, cells and CSV of reports. */
import { expect, test } from "vitest";
import type { Report, ReportRow, Significant } from "../wire.ts";
import { asCsv, cellText, columnsOf, detailOf, eventsCsv, reportAddress, roundsBehind } from "./reporting.ts";

const row = {
	table: "roulette-1",
	day: "2026-11-16",
	shift: "14:00",
	seat: null,
	rounds: 6,
	handle: 31_550,
	win: -50,
	hold_percent: "-90.91",
	played: 6,
	adjustments: 0,
	drop: 0,
	where: "table=roulette-1&from=2026-11-16T14%3A00%3A00.000%2B08%3A00",
} as ReportRow;

test("a report has the columns of its grouping", () => {
	expect(columnsOf({ by: "shift" } as Report).slice(0, 5)).toEqual([
		"table",
		"day",
		"shift",
		"played",
		"played_handle",
	]);
	expect(columnsOf({ by: "dealer" } as Report, "theory").slice(0, 2)).toEqual(["dealer", "theory_rounds"]);
});

test("a figure has one kind of minus sign, and leads to its rounds", () => {
	expect([cellText(row, "hold_percent"), cellText(row, "win")]).toEqual(["−90.91", "−0.50"]);
	expect(roundsBehind(row, "hold_percent")).toBe(
		"#rounds?table=roulette-1&from=2026-11-16T14%3A00%3A00.000%2B08%3A00&column=win",
	);
	expect(roundsBehind(row, "day")).toBeNull();
	expect(roundsBehind({ ...row, played: 0 }, "drop")).toBeNull();
});

test("cells show dollars, and the CSV has cents", () => {
	expect([cellText(row, "handle"), cellText(row, "win"), cellText(row, "rounds"), cellText(row, "seat")]).toEqual([
		"315.50",
		"−0.50",
		"6",
		"",
	]);
	expect(asCsv([row], ["table", "seat", "handle", "win", "hold_percent"])).toBe(
		"table,seat,handle_cents,win_cents,hold_percent\r\nroulette-1,,31550,-50,-90.91\r\n",
	);
});

test("the address contains the query", () => {
	expect(reportAddress("day", "", "", "")).toBe("/api/report?by=day");
	expect(reportAddress("seat", "a b", "2026-11-01", "2026-11-02")).toBe(
		"/api/report?by=seat&table=a+b&first=2026-11-01&last=2026-11-02",
	);
});

test("the detail of an event is one line, and its CSV contains no formula", () => {
	const event: Significant = {
		export: "event.v1",
		table: "@house",
		seq: 3,
		at: 5,
		kind: "person_added",
		detail: {
			person: "mei",
			positions: ["pit_manager", "dealer"],
			empty: "",
			hash: "ab".repeat(32),
			asked_by: { kind: "engineer" },
		},
	};
	expect(detailOf(event)).toBe("person: mei · positions: pit manager, dealer · hash: abababababab…");
	expect(eventsCsv([event]).split("\r\n")[1]).toContain("'@house,3,5,person_added,,");
});
