/** Tests the counts of past results. */
import { expect, it } from "vitest";
import type { LayoutInfo, WheelInfo } from "../wire.ts";
import { countBoxes, countPockets } from "./result_counts.ts";

const results = [
	{ round: 4, outcome: "1" },
	{ round: 3, outcome: null },
	{ round: 2, outcome: "1" },
	{ round: 1, outcome: "2" },
];

it("counts every pocket, including zero counts, and skips void rounds", () => {
	const wheel = { pockets: ["0", "1", "2"] } as WheelInfo;
	expect(countPockets(results, wheel)).toEqual([
		{ id: "0", times: 0 },
		{ id: "1", times: 2 },
		{ id: "2", times: 1 },
	]);
});

it("counts boxes of several pockets by the pockets they cover", () => {
	const layout = {
		boxes: [{ position: "odd" }, { position: "symbol:1" }],
		positions: [
			{ id: "odd", covers: ["1", "3"] },
			{ id: "symbol:1", covers: ["1"] },
		],
	} as LayoutInfo;
	expect(countBoxes(results, layout)).toEqual([{ id: "odd", times: 2 }]);
});
