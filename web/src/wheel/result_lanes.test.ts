/** Tests of the lanes and colours of the result board. */
import { describe, expect, it } from "vitest";
import type { WheelInfo } from "../wire.ts";
import { paintOf } from "./palette.ts";
import { hasLanes, laneOf } from "./result_lanes.ts";

const wheel: WheelInfo = {
	spun: "ball",
	order: ["0", "2", "1", "4", "3"],
	pockets: ["0", "1", "2", "3", "4"],
	colours: { "0": "green", "1": "red", "2": "black", "3": "red", "4": "black" },
	segments: { "0": 1, "1": 1, "2": 1, "3": 1, "4": 1 },
	clause: "1",
};
const symbols: WheelInfo = {
	...wheel,
	spun: "wheel",
	pockets: ["A", "20", "1"],
	order: ["A", "1", "20", "1", "20", "1"],
	colours: {},
	segments: { A: 1, "20": 2, "1": 3 },
};

describe("the result board", () => {
	it("has a separate lane for each colour", () => {
		const lanes = ["1", "2", "0"].map((outcome) => laneOf(wheel, { round: 1, outcome }));
		expect(lanes).toEqual(["first", "last", "middle"]);
		expect(laneOf(wheel, { round: 1, outcome: null })).toBe("middle");
	});

	it("has one lane without colours", () => {
		expect(hasLanes(wheel)).toBe(true);
		expect(hasLanes(symbols)).toBe(false);
		expect(laneOf(symbols, { round: 1, outcome: "20" })).toBe("middle");
	});

	it("paints every symbol, each in its own colour", () => {
		expect(new Set(symbols.pockets.map((symbol) => paintOf(symbols, symbol).fill)).size).toBe(3);
		expect(paintOf({ ...wheel, colours: { "0": "mauve" } }, "0").fill).toMatch(/^#/);
	});
});
