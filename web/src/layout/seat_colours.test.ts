/** Tests of the colours, labels and places of other seats. */
import { expect, test } from "vitest";
import { around, chipColour, seatColour, seatLabel, stackColour } from "./seat_colours.ts";

test("twelve adjacent seats have twelve different colours", () => {
	expect(new Set(Array.from({ length: 12 }, (_, index) => seatColour(String(index + 1)))).size).toBe(12);
	expect(seatColour("7")).toBe(seatColour("seat-7"));
});

test.each([
	["4", "4"],
	["seat-12", "12"],
	["north", "NO"],
])("seat %s has the label %s", (seat, label) => {
	expect(seatLabel(seat)).toBe(label);
});

test("a seat without a number always has the same colour", () => {
	expect(seatColour("north")).toMatch(/^#/);
	expect(seatColour("north")).toBe(seatColour("north"));
});

test.each([1, 2, 5, 7])("%i chips of other seats do not overlap and leave the space below free", (count) => {
	const spots = around(count, 10);
	for (const [index, one] of spots.entries()) {
		expect(Math.hypot(one.x, one.y)).toBeCloseTo(10);
		expect(Math.abs(one.x) < 3 && one.y > 0).toBe(false);
		for (const other of spots.slice(index + 1)) expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(5);
	}
});

test("colour chips have the colour of their set, cash chips one neutral colour", () => {
	const issued = { "1": { colour: "blue" } };
	expect(stackColour("1", issued)).toBe(chipColour("blue"));
	expect(stackColour("2", issued)).toBe(stackColour("3", issued));
	expect(stackColour("2", issued)).not.toBe(seatColour("2"));
	expect(stackColour("2", null)).toBe(seatColour("2"));
});

test("the colours of the rulebooks' sets differ", () => {
	const sets = [
		"yellow",
		"orange",
		"pink",
		"purple",
		"blue",
		"turquoise",
		"brown",
		"grey",
		"red",
		"green",
		"white",
		"black",
	];
	expect(new Set(sets.map(chipColour)).size).toBe(sets.length);
});
