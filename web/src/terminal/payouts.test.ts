/** Tests the results of single bets. */
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
const results = (bets: Record<string, number>, outcome: string, returned: number) =>
	resultsOf(bets, outcome, returned, RETURNS, POSITIONS, () => "3.9");

describe("the result of each bet", () => {
	it("lists winners first with their pay table rows, and losers with their clause", () => {
		expect(results({ red: 500, "straight:1": 100 }, "1", 4600)).toEqual([
			{ position: "straight:1", staked: 100, returned: 3600, clause: "4.1 / One" },
			{ position: "red", staked: 500, returned: 1000, clause: "4.1 / Red" },
		]);
		expect(results({ red: 500 }, "2", 0)).toEqual([{ position: "red", staked: 500, returned: 0, clause: "3.9" }]);
	});

	it("is null if the server's total differs", () => expect(results({ red: 500 }, "1", 999)).toBeNull());

	it("is null for an unknown bet or outcome", () => {
		expect(results({ black: 500 }, "1", 0)).toBeNull();
		expect(results({ red: 500 }, "S", 0)).toBeNull();
	});
});
