/** Tests of the exposure of the house. */
import { expect, it } from "vitest";
import { returnsOf } from "../lib/game_data.ts";
import type { OddsInfo, SeatView, TerminalInfo } from "../wire.ts";
import { betsOn, exposure, totalStaked, worstFirst, worstOf } from "./exposure.ts";

const terminal = (id: string, layout: string): TerminalInfo => ({
	id,
	name: id,
	layout,
	clause: "",
	series: [],
	neighbours: null,
	finales: null,
});
const wheel = { spun: "ball", order: [], pockets: ["0", "1", "2"], colours: {}, segments: {}, clause: "" } as const;
const sheet = {
	layouts: ["A", "B"],
	terminals: [terminal("a", "A"), terminal("b", "B")],
	wheel: { ...wheel, order: [], pockets: [...wheel.pockets] },
};
const odds = (id: string, returns: Record<string, number>, staked = 1): OddsInfo => ({
	id,
	staked,
	win: "",
	edge: "",
	variance: "",
	returns,
});
const seat = (terminal: string, bets: Record<string, number>): SeatView => ({
	terminal,
	credits: 0,
	bets,
	staked: Object.values(bets).reduce((sum, cents) => sum + cents, 0),
	meters: {},
});
const RETURNS = returnsOf(
	new Map([
		["A", [odds("straight:1", { "0": 0, "1": 3, "2": 0 }), odds("odd", { "0": 0, "1": 2, "2": 0 })]],
		// The same position may pay differently on another layout.
		["B", [odds("straight:1", { "0": 0, "1": 2, "2": 0 })]],
	]),
);

it("adds up the returns for each outcome, by the layout of each seat's terminal", () => {
	const seats = { s1: seat("a", { "straight:1": 500, odd: 100 }), s2: seat("b", { "straight:1": 1000 }) };
	expect(totalStaked(seats)).toBe(1600);
	expect(exposure(sheet, RETURNS, seats)).toEqual([
		{ outcome: "0", returned: 0, house: 1600 },
		{ outcome: "1", returned: 3700, house: -2100 },
		{ outcome: "2", returned: 0, house: 1600 },
	]);
});

it("sorts the most expensive outcome first", () => {
	const seats = { s1: seat("a", { odd: 100 }) };
	expect(worstFirst(exposure(sheet, RETURNS, seats)).map((row) => row.outcome)).toEqual(["1", "0", "2"]);
});

it("counts only the bets of the terminals with this layout", () => {
	const seats = { s1: seat("a", { odd: 100 }), s2: seat("b", { odd: 700 }), s3: seat("a", { odd: 1 }) };
	expect(betsOn(sheet, seats, "A")).toEqual({ odd: 101 });
});

it("is zero for all outcomes without stakes", () => {
	expect(exposure(sheet, RETURNS, {}).every((row) => row.house === 0)).toBe(true);
});

it("finds the worst outcome only with stakes, even if the house wins with it", () => {
	expect(worstOf(exposure(sheet, RETURNS, {}), 0)).toBeNull();
	const seats = { s1: seat("a", { "straight:1": 100 }), s2: seat("a", { nothing: 500 }) };
	expect(worstOf(exposure(sheet, RETURNS, seats), 600)).toEqual({ outcome: "1", returned: 300, house: 300 });
});
