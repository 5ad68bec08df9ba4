/** Tests of the evidence of a past round: groups, sources and the segment. */
import { expect, it } from "vitest";
import type { EvidenceRow } from "../wire.ts";
import { byHow, evidenceGroups, segmentRead } from "./evidence_groups.ts";

const row = (kind: EvidenceRow["kind"], more: Partial<EvidenceRow> = {}): EvidenceRow => ({ kind, words: "", ...more });

it("groups rows by kind and keeps their order", () => {
	const evidence = [row("interruption"), row("reading", { value: "9" }), row("start"), row("reading", { value: "8" })];
	const groups = evidenceGroups(evidence);
	expect(groups.map(({ kind }) => kind)).toEqual(["start", "reading", "interruption"]);
	expect(groups[1]?.rows.map(({ value }) => value)).toEqual(["9", "8"]);
	expect(evidenceGroups([])).toEqual([]);
});

it("lists the values of the spin in a fixed order, and reports of one value in the order of the journal", () => {
	const spin = (name: string, value: string) => row("spin", { name, value });
	const reports = [spin("revolutions", "5"), spin("ball", "clockwise"), spin("revolutions", "6")];
	const [group] = evidenceGroups(reports);
	expect(group?.rows.map(({ name, value }) => `${name} ${value}`)).toEqual([
		"ball clockwise",
		"revolutions 5",
		"revolutions 6",
	]);
});

it("loses no kind of evidence", () => {
	const kinds: EvidenceRow["kind"][] = [
		"start",
		"spin",
		"reading",
		"amendment",
		"registration",
		"resolution",
		"confirmation",
		"referral",
		"decision",
		"change",
		"interruption",
	];
	expect(evidenceGroups(kinds.map((kind) => row(kind)))).toHaveLength(kinds.length);
});

it("says how a value came on record", () => {
	const by = "the Dealer (dee)";
	expect(byHow(row("spin", { how: "attested", by }))).toBe("attested by the Dealer (dee)");
	expect(byHow(row("spin", { how: "measured", by: "the system" }))).toBe("measured by the wheel's line");
	expect(byHow(row("spin", { how: "not_measured" }))).toBe("not measured");
	expect(byHow(row("spin"))).toBe("");
	expect(byHow(row("spin", { how: "without_source", by }))).toContain("source not on record");
});

it("names the segment of the outcome only if its readings agree", () => {
	const wheel = row("reading", { by: "the wheel's line", value: "5", segment: 4 });
	const dealer = row("reading", { by: "dee", value: "5", segment: 10 });
	expect(segmentRead([wheel], "5")).toBe(4);
	expect(segmentRead([wheel], "1")).toBeNull();
	expect(segmentRead([wheel, dealer], "5")).toBeNull();
	expect(segmentRead([wheel, dealer, row("amendment", { by: "dee", value: "5", segment: 4 })], "5")).toBe(4);
	expect(segmentRead([wheel, row("reading", { by: "pam", value: "5" })], "5")).toBe(4);
	expect(segmentRead([row("reading", { value: "RWS", segment: 0 })], "RWS")).toBe(0);
});
