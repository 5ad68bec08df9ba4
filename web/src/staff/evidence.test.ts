/** Tests how evidence of a round is described. */
import { describe, expect, it } from "vitest";
import type { Evidence, WheelInfo } from "../wire.ts";
import {
	attested,
	notMeasured,
	outcomesRead,
	reader,
	readingOf,
	reportsDiffer,
	sourceName,
	spinFacts,
	spinText,
} from "./evidence.ts";

const ball = { wheel: { spun: "ball" } as WheelInfo };
const clapper = { wheel: { spun: "wheel" } as WheelInfo };
const dealer = { by: "dealer", who: "ann" } as const;
const line = { by: "automatic_dealer" } as const;

describe("a source", () => {
	it("is a person, two persons, a position or the wheel", () => {
		expect(sourceName(dealer)).toBe("ann");
		expect(sourceName({ ...dealer, second: "bo" })).toBe("ann and bo");
		expect(sourceName({ by: "pit_manager" })).toBe("Pit Manager");
		expect(reader({ source: line })).toBe("the wheel");
		expect(reader({ source: dealer, read_by: "dealer" })).toBe("ann");
		expect(attested(line)).toBe("measured by the wheel");
		expect(attested(dealer)).toBe("attested by ann");
	});
});

describe("the spin", () => {
	it("is not measured before the first report", () => {
		expect(notMeasured(ball, {})).toEqual(["ball", "wheel", "revolutions"]);
		expect(notMeasured(clapper, {})).toEqual(["revolutions"]);
	});

	it("takes each value from the first report that has it", () => {
		const evidence: Evidence = {
			reports: [
				{ source: line, wheel: "clockwise" },
				{ source: dealer, ball: "anticlockwise", wheel: "clockwise", revolutions: 7 },
			],
		};
		expect(spinFacts(ball, evidence).map((fact) => [fact.is, fact.source])).toEqual([
			["anticlockwise", dealer],
			["clockwise", line],
			["7", dealer],
		]);
		expect(notMeasured(ball, evidence)).toEqual([]);
		expect(reportsDiffer(evidence)).toBe(false);
	});

	it("counts zero revolutions as measured", () => {
		expect(notMeasured(clapper, { reports: [{ source: dealer, revolutions: 0 }] })).toEqual([]);
	});

	it("needs nothing more after a decision accepted it", () => {
		expect(notMeasured(ball, { spin_accepted: true })).toEqual([]);
	});

	it("differs if two reports contradict each other", () => {
		const first = { source: dealer, revolutions: 9 };
		expect(reportsDiffer({ reports: [first, { source: line, revolutions: 2 }] })).toBe(true);
		expect(reportsDiffer({ reports: [first, { source: line, seen: ["interference"] }] })).toBe(true);
		expect(reportsDiffer({ reports: [first, { source: line, revolutions: 2 }], spin_accepted: true })).toBe(false);
	});

	it("is described with what was not measured", () => {
		expect(spinText({ ball: "clockwise", revolutions: null })).toBe("ball clockwise, revolutions not measured");
	});
});

describe("readings", () => {
	const evidence: Evidence = {
		readings: [
			{ source: line, outcome: "17", read_by: "wheel" },
			{ source: dealer, outcome: "18" },
			{ source: { by: "pit_manager", who: "cy" }, outcome: "17" },
		],
	};

	it("give the different outcomes", () => {
		expect(outcomesRead(evidence)).toEqual(["17", "18"]);
	});

	it("belong to persons", () => {
		expect(readingOf(evidence, "ann")?.outcome).toBe("18");
		expect(readingOf(evidence, "dan")).toBeNull();
		expect(readingOf(evidence, null)).toBeNull();
	});
});
