/** Tests the reasons why a table needs attention. */
import { expect, test } from "vitest";
import type { AlertRow, ProposalRow, PublicTable } from "../wire.ts";
import { needsOf, type TableData } from "./attention.ts";

const table = (changes: Partial<PublicTable> = {}): PublicTable =>
	({
		id: "t",
		phase: "idle",
		mode: "automatic",
		mode_reason: "",
		wheel: null,
		facts: { betting_seconds: 20 },
		...changes,
	}) as PublicTable;
const data = (changes: Partial<TableData> = {}): TableData => ({
	table: table(),
	matters: {},
	matterSeats: {},
	alert: "",
	alerts: [],
	proposals: [],
	...changes,
});
const kinds = (one: TableData) => needsOf(one).map((need) => need.kind);

test("a running table needs no attention", () => {
	expect(needsOf(data())).toEqual([]);
});

test("a table meant for manual mode does not need attention because of it", () => {
	const facts = { betting_seconds: null } as PublicTable["facts"];
	expect(kinds(data({ table: table({ mode: "manual", facts }) }))).toEqual([]);
	expect(kinds(data({ table: table({ mode: "manual", mode_reason: "no answer" }) }))).toEqual(["manual"]);
});

test("the most serious reason comes first, and only reasons that require a person to act are pressing", () => {
	const needs = needsOf(
		data({
			table: table({ phase: "stopped", wheel: { reliable: false, use: "silent" } as PublicTable["wheel"] }),
			matters: { 7: "two balls?" },
			alerts: [{ table: "t" }, { table: "other" }] as AlertRow[],
			proposals: [{ table: "t" }, { table: "other" }, { table: "t" }] as ProposalRow[],
		}),
	);
	expect(needs.map((one) => one.kind)).toEqual(["stopped", "decision", "wheel", "approval", "alerts"]);
	expect(needs.filter((one) => !one.pressing).map((one) => one.kind)).toEqual(["alerts"]);
	expect(needs[1]?.text).toContain("two balls?");
	expect(needs[2]?.text).toBe("Wheel: Not responding");
	expect(needs[3]?.text).toContain("2");
});

test("a call of an attendant needs attention", () => {
	const [need] = needsOf(data({ calls: { "4": 1 } }));
	expect([need?.kind, need?.text, need?.pressing]).toEqual(["attendant", "Seat 4 calls an attendant.", true]);
});

test("a matter of single seats does not say that its round waits", () => {
	const matters = { 4: "dark?" };
	const text = (seats: string[], phase: PublicTable["phase"]) =>
		needsOf(data({ table: table({ phase, round: 4 }), matters, matterSeats: { 4: seats } }))[0]?.text;
	expect(text(["s0"], "spinning")).toBe("Seat s0 of round 4 waits for a decision; the round goes on: dark?");
	expect(text(["s0", "s1"], "idle")).toBe("Seats s0, s1 of round 4 wait for a decision: dark?");
	expect(text([], "spinning")).toContain("Decide it for the round to close it");
	// The whole round is referred as well, or it was referred after its end.
	expect(text(["s0"], "referred")).toBe("Round 4 waits for a decision: dark?");
	expect(text([], "idle")).toBe("Round 4 waits for a decision: dark?");
});
