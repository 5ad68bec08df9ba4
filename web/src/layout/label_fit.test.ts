/** Tests of fitting labels into boxes. */
import { expect, test } from "vitest";
import { fitted, offsets } from "./label_fit.ts";

test("a label stays on one line if it is legible", () => {
	expect(fitted("1st 12", 120, 40, 15)).toEqual({ lines: ["1st 12"], size: 15 });
});

test("a long label in a narrow box is broken into the shortest lines", () => {
	expect(fitted("Resorts World Sentosa", 100, 60, 21).lines).toEqual(["Resorts World", "Sentosa"]);
});

test("a label never exceeds its box", () => {
	for (const [label, width, height] of [
		["GREEN", 30, 40],
		["2 to 1", 26, 42],
		["A", 4, 4],
	] as const) {
		const { lines, size } = fitted(label, width, height, 20);
		expect(Math.max(...lines.map((line) => line.length)) * size * 0.55).toBeLessThanOrEqual(width);
		expect(lines.length * size).toBeLessThanOrEqual(height);
	}
});

test("lines are centred around the middle", () => {
	expect(offsets({ lines: ["a"], size: 10 })).toEqual([0]);
	const [first, second] = offsets({ lines: ["a", "b"], size: 10 });
	expect(first).toBeCloseTo(-(second ?? 0));
});
