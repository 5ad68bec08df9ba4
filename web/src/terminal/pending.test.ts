/** Tests the pending chips of unanswered requests and the steps of Undo. */
import { describe, expect, it } from "vitest";
import type { PackageInfo } from "../wire.ts";
import { type Known, pendingOf, stepOf, stepsAfter } from "./pending.ts";

const tiers = {
	id: "tiers",
	pieces: [
		{ position: "split:5-8", pieces: 2 },
		{ position: "red", pieces: 1 },
	],
};
const known: Known = {
	bets: { red: 500 },
	repeatable: { black: 100 },
	steps: [{ red: 500 }],
	packages: new Map([["tiers", tiers as PackageInfo]]),
};

describe("the pending bets", () => {
	it("are empty without requests", () => expect(pendingOf([], known)).toEqual({}));

	it("count every tap", () => {
		const tap = { do: "place_bets", bets: [{ position: "red", cents: 100 }] } as const;
		expect(
			pendingOf(
				[
					{ ...tap, bets: [...tap.bets] },
					{ ...tap, bets: [...tap.bets] },
				],
				known,
			),
		).toEqual({ red: 200 });
	});

	it("resolve a package into its pieces", () =>
		expect(pendingOf([{ do: "place_package", package: "tiers", unit_cents: 50 }], known)).toEqual({
			"split:5-8": 100,
			red: 50,
		}));

	it("double registered and earlier pending bets", () =>
		expect(pendingOf([{ do: "place_bets", bets: [{ position: "odd", cents: 10 }] }, { do: "double" }], known)).toEqual({
			odd: 20,
			red: 500,
		}));

	it("undo the last request first, then the last registered step", () => {
		const place = { do: "place_bets" as const, bets: [{ position: "odd", cents: 10 }] };
		expect(pendingOf([place, { do: "undo" }], known)).toEqual({});
		expect(pendingOf([place, { do: "undo" }, { do: "undo" }], known)).toEqual({ red: -500 });
		expect(pendingOf([{ do: "undo" }, { do: "undo" }], known)).toEqual({ red: -500 });
	});

	it("clear the layout, and undo the clearing", () => {
		expect(pendingOf([{ do: "clear" }], known)).toEqual({ red: -500 });
		expect(pendingOf([{ do: "clear" }, { do: "undo" }], known)).toEqual({});
	});

	it("repeat the last bets", () => expect(pendingOf([{ do: "repeat" }], known)).toEqual({ black: 100 }));

	it("take chips off", () =>
		expect(pendingOf([{ do: "withdraw_bets", bets: [{ position: "red", cents: 200 }] }], known)).toEqual({
			red: -200,
		}));

	it("ignore requests that move no chips", () => expect(stepOf({ do: "cash_out" }, {}, known)).toBeNull());
});

describe("the steps", () => {
	it("follow the registered events and end with the round", () => {
		let steps = stepsAfter([], { event: "bets_placed.v1", seat: "1", bets: { red: 100 } });
		steps = stepsAfter(steps, { event: "bets_withdrawn.v1", seat: "1", bets: { red: 100 }, how: "cleared" });
		expect(steps).toEqual([{ red: 100 }, { red: -100 }]);
		steps = stepsAfter(steps, { event: "bets_placed.v1", seat: "1", bets: { red: 100 }, how: "undone" });
		expect(steps).toEqual([{ red: 100 }]);
		expect(stepsAfter(steps, { event: "round_voided.v1", round: 1, clauses: [], returns: "", seats: {} })).toEqual([]);
	});
});
