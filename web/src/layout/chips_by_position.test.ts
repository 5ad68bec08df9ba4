/** Tests of the chips of each position. */
import { expect, test } from "vitest";
import { layouts } from "../testing/game_sheets.ts";
import type { LayoutInfo } from "../wire.ts";
import { ChipsByPosition, type ShownChips } from "./chips_by_position.svelte.ts";

function firstLayout(): LayoutInfo {
	const layout = layouts()[0]?.layout;
	if (layout === undefined) throw new Error("no layout");
	return layout;
}

const empty: ShownChips = { bets: {}, pending: {}, others: {} };

test("shows registered and requested chips by position", () => {
	const byPosition = new ChipsByPosition(firstLayout());
	byPosition.show({ ...empty, bets: { red: 500 }, pending: { "straight:17": 100, red: -500 } });
	expect(byPosition.occupied.map((place) => place.position.id).sort()).toEqual(["red", "straight:17"]);
	expect([byPosition.of("red")?.staked, byPosition.of("red")?.pending]).toEqual([500, -500]);
	byPosition.show(empty);
	expect(byPosition.occupied).toEqual([]);
});

test("there are no returns before the settlement, and losing bets return 0 after it", () => {
	const byPosition = new ChipsByPosition(firstLayout());
	byPosition.show({ ...empty, bets: { red: 500, black: 500 } });
	expect(byPosition.of("red")?.returned).toBeUndefined();
	byPosition.show({ ...empty, bets: { red: 500, black: 500 }, wins: { red: 1000 } });
	expect([byPosition.of("red")?.returned, byPosition.of("black")?.returned]).toEqual([1000, 0]);
});

test("the Player's own seat is not among the others", () => {
	const byPosition = new ChipsByPosition(firstLayout());
	byPosition.show({ ...empty, own: "3", others: { 3: { red: 100 }, 4: { red: 200 }, 5: { red: 0, black: 300 } } });
	expect(byPosition.of("red")?.crowd).toEqual([["4", 200]]);
	expect(byPosition.of("red")?.others).toBe(200);
	expect(byPosition.crowded.map((place) => place.position.id).sort()).toEqual(["black", "red"]);
});

test("another chip on the same position leaves all lists unchanged, so that nothing else is redrawn", () => {
	const byPosition = new ChipsByPosition(firstLayout());
	byPosition.show({ ...empty, bets: { red: 500 }, others: { 4: { black: 100 } } });
	const [occupied, crowded, crowd] = [byPosition.occupied, byPosition.crowded, byPosition.of("black")?.crowd];
	byPosition.show({ ...empty, bets: { red: 600 }, others: { 4: { black: 100 } } });
	expect(byPosition.of("red")?.staked).toBe(600);
	expect(byPosition.occupied).toBe(occupied);
	expect(byPosition.crowded).toBe(crowded);
	expect(byPosition.of("black")?.crowd).toBe(crowd);
});

test("the tab key reaches only one position", () => {
	const byPosition = new ChipsByPosition(firstLayout());
	byPosition.enter("red");
	byPosition.enter("nowhere");
	expect(byPosition.places.filter((place) => place.entered).map((place) => place.position.id)).toEqual(["red"]);
});
