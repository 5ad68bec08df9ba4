import { expect, test } from "vitest";
import type { LayoutInfo } from "../wire.ts";
import { layouts } from "./sheets.ts";
import { Spots, type Standing } from "./spots.svelte.ts";

function sheet(): LayoutInfo {
	const layout = layouts()[0]?.layout;
	if (layout === undefined) throw new Error("no layout");
	return layout;
}

const empty: Standing = { bets: {}, pending: {}, others: {} };

test("what stands where, and what is only asked for", () => {
	const spots = new Spots(sheet());
	spots.show({ ...empty, bets: { red: 500 }, pending: { "straight:17": 100, red: -500 } });
	expect(spots.occupied.map((place) => place.position.id).sort()).toEqual(["red", "straight:17"]);
	expect([spots.of("red")?.staked, spots.of("red")?.pending]).toEqual([500, -500]);
	spots.show(empty);
	expect(spots.occupied).toEqual([]);
});

test("before the settlement nobody has lost; after it, who is not among the winners has", () => {
	const spots = new Spots(sheet());
	spots.show({ ...empty, bets: { red: 500, black: 500 } });
	expect(spots.of("red")?.returned).toBeUndefined();
	spots.show({ ...empty, bets: { red: 500, black: 500 }, wins: { red: 1000 } });
	expect([spots.of("red")?.returned, spots.of("black")?.returned]).toEqual([1000, 0]);
});

test("one's own seat is not among the others", () => {
	const spots = new Spots(sheet());
	spots.show({ ...empty, own: "3", others: { 3: { red: 100 }, 4: { red: 200 }, 5: { red: 0, black: 300 } } });
	expect(spots.of("red")?.crowd).toEqual([["4", 200]]);
	expect(spots.of("red")?.others).toBe(200);
	expect(spots.crowded.map((place) => place.position.id).sort()).toEqual(["black", "red"]);
});

test("another chip on the same position leaves every list as it is, so that nothing else is drawn anew", () => {
	const spots = new Spots(sheet());
	spots.show({ ...empty, bets: { red: 500 }, others: { 4: { black: 100 } } });
	const [occupied, crowded, crowd] = [spots.occupied, spots.crowded, spots.of("black")?.crowd];
	spots.show({ ...empty, bets: { red: 600 }, others: { 4: { black: 100 } } });
	expect(spots.of("red")?.staked).toBe(600);
	expect(spots.occupied).toBe(occupied);
	expect(spots.crowded).toBe(crowded);
	expect(spots.of("black")?.crowd).toBe(crowd);
});

test("the keyboard enters at one position only", () => {
	const spots = new Spots(sheet());
	spots.enter("red");
	spots.enter("nowhere");
	expect(spots.places.filter((place) => place.entered).map((place) => place.position.id)).toEqual(["red"]);
});
