/** Tests of the racetracks of all games. */
import { describe, expect, test } from "vitest";
import { layouts, terminals } from "../testing/game_sheets.ts";
import { alongOval, covered, marks, neighboursOf, offered, priced, trackOf } from "./racetrack.ts";

describe.each(terminals().filter(({ packages }) => packages.length > 0))(
	"$name",
	({ wheel, terminal, layout, packages }) => {
		const offer = offered(packages);

		test("every pocket has a Neighbours package in every offered width, which includes the pocket", () => {
			for (const pocket of wheel.pockets) {
				for (const width of terminal.neighbours?.each_side ?? []) {
					const found = neighboursOf(offer, pocket, width);
					expect(found?.total).toBe(2 * width + 1);
					expect(found && covered(found, layout).has(pocket)).toBe(true);
				}
			}
		});

		test("every package is offered exactly once", () => {
			expect(offer.series.length + offer.neighbours.size + offer.finales.length).toBe(packages.length);
			expect(offer.series.map((one) => one.id).sort()).toEqual([...terminal.series].sort());
			expect(offer.finales.length).toBe(terminal.finales?.digits.length ?? 0);
		});

		test("the price of a package is its pieces times the unit", () => {
			for (const one of packages) {
				const cents = Object.values(priced(one, 250));
				expect(cents.reduce((sum, part) => sum + part, 0)).toBe(one.total * 250);
			}
		});

		test("the last series contains the first pocket of the wheel", () => {
			const along = alongOval(offer.series, wheel.order, layout);
			expect(along.length).toBe(offer.series.length);
			if (along.length === 0) return;
			const [first, last] = [along[0], along.at(-1)];
			expect(first && covered(first, layout).has(wheel.order[0] ?? "")).toBe(false);
			expect(last && covered(last, layout).has(wheel.order[0] ?? "")).toBe(true);
		});
	},
);

test.each([
	[900, 260, 38],
	[360, 640, 39],
	[300, 300, 38],
])(
	"an oval in %i × %i is inside its area and clockwise, with the first pocket at the right end or at the top",
	(width, height, count) => {
		const track = trackOf(width, height, count);
		expect(track.segments.length).toBe(count);
		const middle = { x: width / 2, y: height / 2 };
		let turned = 0;
		for (const [index, { at }] of track.segments.entries()) {
			expect(at.x).toBeGreaterThan(0);
			expect(at.x).toBeLessThan(width);
			expect(at.y).toBeGreaterThan(0);
			expect(at.y).toBeLessThan(height);
			const next = track.segments[(index + 1) % count]?.at ?? at;
			turned += Math.sign((at.x - middle.x) * (next.y - middle.y) - (at.y - middle.y) * (next.x - middle.x));
		}
		expect(turned).toBe(count);
		const first = track.segments[0]?.at;
		if (height > width) expect(first?.y).toBe(Math.min(...track.segments.map(({ at }) => at.y)));
		else expect(first?.x).toBe(Math.max(...track.segments.map(({ at }) => at.x)));
	},
);

test("bands fill the inner field from end to end", () => {
	const track = trackOf(600, 200, 38);
	const [left, right] = [track.band(-1, 0), track.band(0, 1)];
	expect(left.x + left.width).toBeCloseTo(right.x);
	expect(left.width).toBeCloseTo(right.width);
});

test("a bet on one number is marked with its amount, a bet on several marks all of them, a box marks none", () => {
	const layout = layouts().find(({ name }) => name === "rws-double-zero--A")?.layout;
	if (layout === undefined) throw new Error("no layout");
	const { alone, sharing } = marks({ "straight:17": 500, "split:1-2": 100, red: 900, "straight:5": 0 }, layout);
	expect([...alone]).toEqual([["17", 500]]);
	expect([...sharing].sort()).toEqual(["1", "2"]);
});
