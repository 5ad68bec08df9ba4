/** Tests of the status of a table. */
import { expect, it } from "vitest";
import { TABLE as table } from "../testing/sample_table.ts";
import type { PublicTable } from "../wire.ts";
import { lastOutcome, tableStatus } from "./table_status.ts";

it("has a status for every phase", () => {
	const of = (phase: PublicTable["phase"], outcome: string | null = null) =>
		tableStatus({ ...table, phase, outcome }, null);
	expect(of("bets_open")).toBe("bets_open");
	expect(of("spinning_bets_open")).toBe("bets_open");
	expect(of("bets_closed")).toBe("bets_closed");
	expect(of("spinning")).toBe("bets_closed");
	expect(of("at_rest", "4")).toBe("result");
	expect(of("registered", "4")).toBe("result");
	expect(of("at_rest")).toBe("checking");
	expect(of("registered")).toBe("checking");
	expect(of("interrupted")).toBe("interrupted");
	expect(of("idle", "4")).toBe("result");
	expect(of("idle")).toBe("idle");
	expect(of("referred", "4")).toBe("referred");
	expect(of("stopped")).toBe("stopped");
	expect(of("closed")).toBe("closed");
});

it("is urgent only in the last seconds", () => {
	expect(tableStatus(table, 5_001)).toBe("bets_open");
	expect(tableStatus(table, 5_000)).toBe("closing");
});

it("is void after a void round", () => {
	expect(tableStatus({ ...table, phase: "idle", round: 11 }, null)).toBe("void");
	expect(tableStatus({ ...table, phase: "idle", round: 12 }, null)).toBe("idle");
});

it("skips void rounds for the last outcome", () => {
	expect(lastOutcome(table)).toBe("17");
	expect(lastOutcome({ ...table, outcome: "0" })).toBe("0");
	expect(lastOutcome({ ...table, last_results: [] })).toBeNull();
});
