import { describe, expect, it } from "vitest";
import type { OddsInfo, PositionInfo } from "../wire.ts";
import { resultsOf } from "./payouts.ts";

const odds = (id: string, returns: Record<string, number>): [string, OddsInfo] => [
	id,
	{ id, staked: 1, win: "", edge: "", variance: "", returns },
];
const RETURNS = new Map([odds("red", { "1": 2, "2": 0 }), odds("straight:1", { "1": 36, "2": 0 })]);
const POSITIONS = new Map([
	["red", { row: "4.1 / Red" } as PositionInfo],
	["straight:1", { row: "4.1 / One" } as PositionInfo],
]);
const of = (stood: Record<string, number>, outcome: string, returned: number) =>
	resultsOf(stood, outcome, returned, RETURNS, POSITIONS, () => "3.9");

describe("what each bet came to", () => {
	it("names winners first, each by its row, and losers by their clause", () => {
		expect(of({ red: 500, "straight:1": 100 }, "1", 4600)).toEqual([
			{ position: "straight:1", staked: 100, returned: 3600, clause: "4.1 / One" },
			{ position: "red", staked: 500, returned: 1000, clause: "4.1 / Red" },
		]);
		expect(of({ red: 500 }, "2", 0)).toEqual([{ position: "red", staked: 500, returned: 0, clause: "3.9" }]);
	});

	it("is not told where the house has another total", () => expect(of({ red: 500 }, "1", 999)).toBeNull());

	it("is not told of a bet or an outcome that is not known", () => {
		expect(of({ black: 500 }, "1", 0)).toBeNull();
		expect(of({ red: 500 }, "S", 0)).toBeNull();
	});
});
