/** Tests of the geometry of the layouts of all games. */
import { describe, expect, test } from "vitest";
import { layouts } from "../testing/game_sheets.ts";
import { fieldsOf, hitAt, middle, nextOver, radii, stretchOf, turns, viewOf, type Way } from "./geometry.ts";

describe.each(layouts())("$name", ({ layout }) => {
	test("every position is hit at its chip and in the middle of its area", () => {
		for (const one of layout.positions) {
			expect(hitAt(layout.positions, one.at)?.id).toBe(one.id);
			expect(hitAt(layout.positions, middle(one.hit))?.id).toBe(one.id);
		}
	});

	test("no position is hit outside the layout", () => {
		const { x0, y0, x1, y1 } = layout.area;
		for (const point of [
			{ x: x0 - 1, y: y0 },
			{ x: x1 + 1, y: y1 - 1 },
			{ x: x0, y: y1 + 1 },
		]) {
			expect(hitAt(layout.positions, point)).toBeNull();
		}
	});

	test.each([false, true])("turned %s, a point is mapped back to itself and stays in its area", (turned) => {
		const view = viewOf(layout.area, turned, { x: 1.25, y: 1 });
		for (const one of layout.positions) {
			const at = view.spot(one.at);
			expect(view.back(at).x).toBeCloseTo(one.at.x);
			expect(view.back(at).y).toBeCloseTo(one.at.y);
			const area = view.area(one.hit);
			expect([area.x0 <= at.x, at.x <= area.x1, area.y0 <= at.y, at.y <= area.y1]).toEqual([true, true, true, true]);
			expect(area.x0).toBeGreaterThanOrEqual(0);
			expect(area.y1).toBeLessThanOrEqual(view.height);
		}
	});

	test.each([false, true])("turned %s, arrows reach every position from every other", (turned) => {
		const view = viewOf(layout.area, turned);
		const ways: Way[] = ["up", "down", "left", "right"];
		const steps = new Map(
			layout.positions.map((one) => [one.id, ways.flatMap((way) => nextOver(layout.positions, one, way, view) ?? [])]),
		);
		for (const start of layout.positions.filter((_, index) => index % 13 === 0)) {
			const [seen, waiting] = [new Set([start.id]), [start]];
			for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
				for (const next of steps.get(one.id) ?? []) {
					if (seen.has(next.id)) continue;
					seen.add(next.id);
					waiting.push(next);
				}
			}
			expect(layout.positions.filter((one) => !seen.has(one.id)).map((one) => one.id)).toEqual([]);
		}
	});

	test("every pocket that can be bet on has a field to highlight", () => {
		const fields = fieldsOf(layout);
		for (const pocket of layout.positions.flatMap((one) => one.covers)) expect(fields.has(pocket)).toBe(true);
	});

	test("chips are small enough not to hide their neighbours", () => {
		const sizes = radii(layout, viewOf(layout.area, false));
		for (const one of layout.positions) {
			const others = layout.positions.filter((other) => other !== one);
			const nearest = Math.min(...others.map((other) => Math.hypot(one.at.x - other.at.x, one.at.y - other.at.y)));
			expect(sizes.get(one.id)).toBeLessThanOrEqual(nearest * 0.62);
		}
	});
});

test("a later position covers an earlier one", () => {
	const [first] = layouts();
	const below = first?.layout.positions.find((one) => one.id === "straight:1");
	if (below === undefined) throw new Error("no straight:1");
	const above = { ...below, id: "above" };
	expect(hitAt([below, above], below.at)?.id).toBe("above");
	expect(hitAt([above, below], below.at)?.id).toBe("straight:1");
});

test("an arrow key moves to the position straight ahead", () => {
	const layout = layouts().find(({ name }) => name === "rws-double-zero--A")?.layout;
	if (layout === undefined) throw new Error("no layout");
	const at = (id: string) => layout.positions.find((one) => one.id === id) ?? layout.positions[0];
	const go = (id: string, way: Way, turned = false) => {
		const from = at(id);
		return from && nextOver(layout.positions, from, way, viewOf(layout.area, turned))?.id;
	};
	expect(go("straight:17", "right")).toBe("split:17-20");
	expect(go("straight:17", "up")).toBe("split:17-18");
	expect(go("straight:16", "down")).toBe("street:16-17-18");
	expect(go("straight:17", "down", true)).toBe("split:17-20");
	expect(go("straight:17", "right", true)).toBe("split:17-18");
	expect(go("straight:36", "up")).toBeUndefined();
});

test("only a wide layout in a tall container is turned", () => {
	const wide = { x0: 0, y0: 0, x1: 480, y1: 240 };
	expect(turns(wide, 390, 700)).toBe(true);
	expect(turns(wide, 1200, 600)).toBe(false);
	expect(turns({ x0: 0, y0: 0, x1: 224, y1: 288 }, 390, 700)).toBe(false);
	expect(turns(wide, 0, 0)).toBe(false);
});

test("a layout is stretched in one direction to fill its container, up to a maximum", () => {
	const wide = { x0: 0, y0: 0, x1: 480, y1: 240 };
	expect(stretchOf(wide, false, 996, 516, 9)).toEqual({ x: 1, y: 1 });
	const some = stretchOf(wide, false, 1100, 516, 9);
	expect(some.y).toBe(1);
	expect((480 * some.x + 18) / (240 + 18)).toBeCloseTo(1100 / 516);
	expect(stretchOf(wide, false, 3000, 516, 9)).toEqual({ x: 1.3, y: 1 });
	expect(stretchOf(wide, true, 390, 600, 9).y).toBe(1);
	expect(stretchOf(wide, true, 390, 600, 9).x).toBeGreaterThan(1.2);
	expect(stretchOf(wide, false, 0, 0, 9)).toEqual({ x: 1, y: 1 });
});
