import { expect, test } from "vitest";
import type { AlertRow, ProposalRow, PublicTable } from "../wire.ts";
import { type Known, needsOf } from "./attention.ts";

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
const known = (changes: Partial<Known> = {}): Known => ({
	table: table(),
	matters: {},
	alert: "",
	alerts: [],
	proposals: [],
	...changes,
});
const kinds = (one: Known) => needsOf(one).map((need) => need.need);

test("a running table needs no attention", () => {
	expect(needsOf(known())).toEqual([]);
});

test("a table that people are meant to deal does not cry for a dealer", () => {
	const facts = { betting_seconds: null } as PublicTable["facts"];
	expect(kinds(known({ table: table({ mode: "manual", facts }) }))).toEqual([]);
	expect(kinds(known({ table: table({ mode: "manual", mode_reason: "no answer" }) }))).toEqual(["people"]);
});

test("the most serious reason comes first, and only reasons that need a person at the table are pressing", () => {
	const needs = needsOf(
		known({
			table: table({ phase: "stopped", wheel: { reliable: false } as PublicTable["wheel"] }),
			matters: { 7: "two balls?" },
			alerts: [{ table: "t" }, { table: "other" }] as AlertRow[],
			proposals: [{ table: "t" }, { table: "other" }, { table: "t" }] as ProposalRow[],
		}),
	);
	expect(needs.map((one) => one.need)).toEqual(["stopped", "decision", "wheel", "second", "alerts"]);
	expect(needs.filter((one) => !one.pressing).map((one) => one.need)).toEqual(["alerts"]);
	expect(needs[1]?.words).toContain("two balls?");
	expect(needs[3]?.words).toContain("2");
});
