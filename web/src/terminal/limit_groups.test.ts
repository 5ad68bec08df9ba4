/** Tests that the limits of every kind of bet are shown. */
import { expect, it } from "vitest";
import type { PositionInfo, ResolvedLimits } from "../wire.ts";
import { limitGroups, sharedMinimum } from "./limit_groups.ts";

const position = (id: string, type: string) => ({ id, type }) as PositionInfo;
const LAYOUT = [position("straight:1", "straight"), position("straight:2", "straight"), position("red", "red")];
const seat = { min: 100, max: 1_000_000 };

function limits(types: ResolvedLimits["types"], positions: ResolvedLimits["positions"] = {}): ResolvedLimits {
	return { seat, types, positions };
}

it("shows one group if all bets have the same limits", () => {
	const same = { min: 100, max: 500 };
	const [group, ...more] = limitGroups(limits({ straight: same, red: same }), LAYOUT);
	expect(more).toEqual([]);
	expect(group).toMatchObject({ min: 100, max: 500, types: ["straight", "red"], all: true });
});

it("shows each kind with its own limits, at most those of the seat, the lowest maximum first", () => {
	const groups = limitGroups(limits({ red: { min: 500, max: null }, straight: { min: 100, max: 250 } }), LAYOUT);
	expect(groups.map(({ types, min, max }) => [types, min, max])).toEqual([
		[["straight"], 100, 250],
		[["red"], 500, 1_000_000],
	]);
	expect(groups.some((group) => group.all)).toBe(false);
});

it("shows single positions that differ from their kind", () => {
	const of = { straight: { min: 100, max: 250 }, red: { min: 100, max: 250 } };
	const groups = limitGroups(limits(of, { "straight:2": { min: 100, max: 50 } }), LAYOUT);
	expect(groups.map(({ types, positions }) => [types, positions.map(({ id }) => id)])).toEqual([
		[[], ["straight:2"]],
		[["straight", "red"], []],
	]);
});

it("leaves out a kind if each of its positions has other limits", () => {
	const of = { straight: { min: 100, max: 250 }, red: { min: 100, max: 250 } };
	expect(limitGroups(limits(of, { red: { min: 1, max: 2 } }), LAYOUT).map(({ types }) => types)).toEqual([
		[],
		["straight"],
	]);
});

it("finds the minimum that most kinds share", () => {
	const layout = [...LAYOUT, position("low", "low")];
	const of = (straight: number, red: number, low: number) =>
		sharedMinimum(
			limitGroups(
				limits({ straight: { min: straight, max: 10 }, red: { min: red, max: 20 }, low: { min: low, max: 30 } }),
				layout,
			),
		);
	expect(of(1, 1, 1)).toEqual({ min: 1, all: true });
	expect(of(5, 1, 1)).toEqual({ min: 1, all: false });
	expect(of(1, 2, 3)).toBeNull();
	expect(sharedMinimum([])).toBeNull();
});
