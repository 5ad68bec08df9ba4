import { expect, test } from "vitest";
import type { GameSheet, ShownSeat } from "../wire.ts";
import { exposureOf, returnsOf } from "./exposure.ts";

const game = {
	wheel: { pockets: ["0", "1", "2"] },
	terminals: [
		{ id: "a", layout: "A" },
		{ id: "b", layout: "B" },
	],
} as GameSheet;
const odds = (id: string, returns: Record<string, number>) => ({
	id,
	staked: 1,
	win: "",
	edge: "",
	variance: "",
	returns,
});
const returns = new Map([
	["A", returnsOf([odds("straight:1", { "0": 0, "1": 36, "2": 0 }), odds("odd", { "0": 0, "1": 2, "2": 0 })])],
	["B", returnsOf([odds("straight:1", { "0": 0, "1": 30, "2": 0 })])],
]);
const seat = (terminal: string, bets: Record<string, number>): ShownSeat => ({
	terminal,
	bets,
	credits: 0,
	staked: 0,
	meters: {},
});

test("every seat counts by the prices of its own layout", () => {
	const found = exposureOf(
		[seat("a", { "straight:1": 100, odd: 500 }), seat("b", { "straight:1": 100 })],
		game,
		returns,
	);
	expect(found.staked).toBe(700);
	expect([...found.returned]).toEqual([
		["0", 0],
		["1", 3600 + 1000 + 3000],
		["2", 0],
	]);
	expect(found.worst).toEqual({ pocket: "1", loss: 7600 - 700 });
});

test("where nothing stands there is no worst outcome, and where the house wins it says so", () => {
	expect(exposureOf([seat("a", {})], game, returns).worst).toBeNull();
	const sure = new Map([["A", returnsOf([odds("all", { "0": 0, "1": 0, "2": 0 })])]]);
	expect(exposureOf([seat("a", { all: 50 })], game, sure).worst).toEqual({ pocket: "0", loss: -50 });
});
