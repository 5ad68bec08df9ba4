/** Tests of the messages of the display board. */
import { describe, expect, it } from "vitest";
import { TABLE as table } from "../testing/sample_table.ts";
import { breadth, ending, limitRows, paged } from "./messages.ts";

describe("the messages of the board", () => {
	it("include the last rounds", () => {
		expect(ending(table)).toBeNull();
		expect(ending({ ...table, last_rounds: 3 })).toEqual({ word: "last_rounds", count: 3 });
		expect(ending({ ...table, last_rounds: 1 })?.word).toBe("last_round");
		expect(ending({ ...table, last_rounds: 0 })?.word).toBe("closes_now");
	});
});

describe("limits", () => {
	it("are shown only if they are set", () => {
		expect(limitRows({ seat: { min: 1, max: 100_000_000_000 }, table: 10_000_000_000_000 })).toEqual([]);
		expect(
			limitRows({
				seat: { min: 500, max: 1_000_000 },
				types: {
					straight: { min: 500, max: 20_000 },
					red: { min: 500, max: 50_000 },
					black: { min: 500, max: 50_000 },
				},
				table: 9_000_000,
			}),
		).toEqual([
			{ of: ["each_bet"], min: 500, max: null },
			{ of: ["straight"], min: 500, max: 20_000 },
			{ of: ["red", "black"], min: 500, max: 50_000 },
			{ of: ["in_all"], min: null, max: 1_000_000 },
			{ of: ["whole_table"], min: null, max: 9_000_000 },
		]);
	});
});

describe("pages of limits", () => {
	const rows = ["a", "b", "c", "wide", "d"].map((of) => ({ of: [of], min: 1, max: 2 }));
	const pages = (places: number) =>
		paged(rows, places, (row) => row.of[0] === "wide").map((page) => page.map((row) => row.of[0]));

	it("contain every limit, and a wide one takes a whole row", () => {
		expect(pages(4)).toEqual([
			["a", "b", "c"],
			["wide", "d"],
		]);
		expect(pages(6)).toEqual([["a", "b", "c", "wide"], ["d"]]);
		expect(pages(20).flat()).toEqual(["a", "b", "c", "wide", "d"]);
		expect(paged([], 6, () => false)).toEqual([]);
	});
});

describe("breadth", () => {
	it("depends on the script", () => {
		expect(breadth("No More Bets")).toBe(12);
		expect(breadth("已停止下注")).toBeCloseTo(9.5);
		expect(breadth("சக்கரம்")).toBeGreaterThan(7);
	});
});
