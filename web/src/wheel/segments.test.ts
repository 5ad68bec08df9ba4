/** Tests of the segments of the Money Wheel. */
import { expect, it } from "vitest";
import { terminals } from "../testing/game_sheets.ts";
import type { WheelInfo } from "../wire.ts";
import { hasSegments, nearestSegment, segmentsAround, segmentsOf, stepSegment } from "./segments.ts";

const wheels = terminals().map((one) => one.wheel);
const money = wheels.find((one) => one.spun === "wheel") as WheelInfo;

it("has segments only at a wheel with a clapper", () => {
	expect(wheels.filter(hasSegments).every((one) => one === money || one.spun === "wheel")).toBe(true);
	expect(hasSegments(wheels.find((one) => one.spun === "ball") as WheelInfo)).toBe(false);
});

it("lists as many segments of each symbol as the rulebook counts, and 52 in all", () => {
	expect(segmentsOf(money, null)).toHaveLength(52);
	for (const symbol of money.pockets) expect(segmentsOf(money, symbol)).toHaveLength(money.segments[symbol] ?? 0);
});

it("shows neighbours across the beginning of the rim", () => {
	expect(segmentsAround(money, 0, 2)).toEqual([50, 51, 0, 1, 2]);
	expect(segmentsAround(money, 51, 1)).toEqual([50, 51, 0]);
});

it("finds the nearest segment with a symbol, also across the beginning of the rim", () => {
	expect(nearestSegment(money, null, 17)).toBe(17);
	for (const symbol of money.pockets)
		for (const segment of segmentsOf(money, symbol)) expect(nearestSegment(money, symbol, segment)).toBe(segment);
	expect(nearestSegment(money, "RWS", 51)).toBe(0);
	expect(nearestSegment(money, "3", 0)).toBe(51);
});

it("goes round all segments with a symbol in both directions", () => {
	for (const symbol of money.pockets) {
		const all = segmentsOf(money, symbol);
		const visited = new Set<number>();
		let at: number | null = null;
		while (visited.size < all.length) {
			at = stepSegment(money, symbol, at, 1);
			visited.add(at);
		}
		expect([...visited]).toEqual(all);
		expect(stepSegment(money, symbol, all[0] as number, -1)).toBe(all.at(-1));
	}
	expect(stepSegment(money, "10", null, -1)).toBe(segmentsOf(money, "10").at(-1));
});
