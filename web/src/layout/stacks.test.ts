/** Tests of dividing amounts into chips. */
import { expect, test } from "vitest";
import { discs, labelled, livery } from "./stacks.ts";

const CHIPS = [10, 50, 100, 500, 2500, 10000, 50000];

test.each([
	[500, [500]],
	[560, [500, 50, 10]],
	[3600, [2500, 500, 500, 100]],
	[400, [100, 100, 100, 100]],
	[999_990, [50000, 50000, 50000, 50000, 50000]],
	[5, [10]],
	[0, []],
])("%i cents are stacked as %j", (cents, expected) => {
	expect(discs(cents, CHIPS)).toEqual(expected);
});

test("an amount at a table without chips is one chip", () => {
	expect(discs(700, [])).toEqual([700]);
});

test("each denomination of a table has its own colours", () => {
	const rims = CHIPS.map((chip) => livery(chip, CHIPS).rim);
	expect(new Set(rims).size).toBe(CHIPS.length);
	expect(livery(123, CHIPS)).toBeDefined();
});

test.each([
	[50, "0.5"],
	[12_560, "125.6"],
	[1_234_500, "12.3k"],
	[99_999_900, "999k"],
	[123_456_700, "1.23M"],
	[99_999, "999.9"],
])("%i cents are labelled %s, which is never more than the amount", (cents, label) => {
	expect(labelled(cents)).toBe(label);
});
