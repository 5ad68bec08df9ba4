import { describe, expect, it } from "vitest";
import { TABLE as table } from "../testing/sample_table.ts";
import { breadth, ending, limitLines, paged } from "./messages.ts";

describe("the board's words", () => {
	it("announce the last rounds", () => {
		expect(ending(table)).toBeNull();
		expect(ending({ ...table, last_rounds: 3 })).toEqual({ word: "last_rounds", count: 3 });
		expect(ending({ ...table, last_rounds: 1 })?.word).toBe("last_round");
		expect(ending({ ...table, last_rounds: 0 })?.word).toBe("closes_now");
	});
});

describe("limits", () => {
	it("are shown where the house has set some", () => {
		expect(limitLines({ seat: { min: 1, max: 100_000_000_000 }, table: 10_000_000_000_000 })).toEqual([]);
		expect(
			limitLines({
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
	const lines = ["a", "b", "c", "broad", "d"].map((of) => ({ of: [of], min: 1, max: 2 }));
	const pages = (places: number) =>
		paged(lines, places, (line) => line.of[0] === "broad").map((page) => page.map((line) => line.of[0]));

	it("leave no line out, and give a broad one a row of its own", () => {
		expect(pages(4)).toEqual([
			["a", "b", "c"],
			["broad", "d"],
		]);
		expect(pages(6)).toEqual([["a", "b", "c", "broad"], ["d"]]);
		expect(pages(20).flat()).toEqual(["a", "b", "c", "broad", "d"]);
		expect(paged([], 6, () => false)).toEqual([]);
	});
});

describe("breadth", () => {
	it("is that of the script", () => {
		expect(breadth("No More Bets")).toBe(12);
		expect(breadth("已停止下注")).toBeCloseTo(9.5);
		expect(breadth("சக்கரம்")).toBeGreaterThan(7);
	});
});
