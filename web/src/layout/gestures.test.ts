/** Tests of the pointer gestures. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Gestures, MAGNIFY_AFTER_MILLIS, TAKE_AFTER_MILLIS } from "./gestures.svelte.ts";

/** Gestures on three targets in a row, each a hundred pixels wide, from 0 to 300. */
function row(options: { staked?: string[]; enabled?: boolean } = {}) {
	const [placed, taken]: [string[], string[]] = [[], []];
	const gestures = new Gestures<{ id: string }>({
		at: (x) => (x >= 0 && x < 300 ? { id: ["a", "b", "c"][Math.floor(x / 100)] ?? "" } : null),
		staked: (id) => options.staked?.includes(id) ?? false,
		enabled: () => options.enabled ?? true,
		place: (id) => placed.push(id),
		take: (id) => taken.push(id),
	});
	return { gestures, placed, taken };
}

const at = (clientX: number, pointerType = "touch", pointerId = 1) => ({ pointerId, pointerType, clientX, clientY: 0 });

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

test("a tap places a chip on its target", () => {
	const { gestures, placed } = row();
	gestures.down(at(50));
	expect(gestures.press?.target?.id).toBe("a");
	gestures.up(at(50));
	expect(placed).toEqual(["a"]);
	expect(gestures.press).toBeNull();
});

test("a slide changes the target and shows the magnifier at once; the release places on the last target", () => {
	const { gestures, placed } = row();
	gestures.down(at(90));
	gestures.move(at(130));
	expect(gestures.press).toMatchObject({ target: { id: "b" }, magnifier: true });
	gestures.up(at(130));
	expect(placed).toEqual(["b"]);
});

test("a trembling finger keeps its target across a border", () => {
	const { gestures, placed } = row();
	gestures.down(at(95));
	gestures.move(at(104));
	gestures.up(at(104));
	expect(placed).toEqual(["a"]);
});

test("sliding off the targets cancels the press", () => {
	const { gestures, placed } = row();
	gestures.down(at(50));
	gestures.move(at(-40));
	expect(gestures.press?.target).toBeNull();
	gestures.up(at(-40));
	expect(placed).toEqual([]);
});

test("a held press shows the magnifier, and then small moves change the target", () => {
	const { gestures, placed } = row();
	gestures.down(at(96));
	vi.advanceTimersByTime(MAGNIFY_AFTER_MILLIS);
	expect(gestures.press?.magnifier).toBe(true);
	gestures.move(at(103));
	gestures.up(at(103));
	expect(placed).toEqual(["b"]);
});

test("holding on a stake takes it back once and places nothing", () => {
	const { gestures, placed, taken } = row({ staked: ["a"] });
	gestures.down(at(50));
	vi.advanceTimersByTime(TAKE_AFTER_MILLIS);
	gestures.up(at(50));
	expect([placed, taken]).toEqual([[], ["a"]]);
});

test("holding on a target without a stake still places a chip", () => {
	const { gestures, placed, taken } = row();
	gestures.down(at(50));
	vi.advanceTimersByTime(3 * TAKE_AFTER_MILLIS);
	gestures.up(at(50));
	expect([placed, taken]).toEqual([["a"], []]);
});

test("sliding away from a stake does not take it back", () => {
	const { gestures, placed, taken } = row({ staked: ["a", "b"] });
	gestures.down(at(50));
	gestures.move(at(150));
	vi.advanceTimersByTime(3 * TAKE_AFTER_MILLIS);
	gestures.up(at(150));
	expect([placed, taken]).toEqual([["b"], []]);
});

test("two thumbs place two chips", () => {
	const { gestures, placed } = row();
	gestures.down(at(50, "touch", 1));
	gestures.down(at(250, "touch", 2));
	gestures.up(at(50, "touch", 1));
	expect(gestures.press?.target?.id).toBe("c");
	gestures.up(at(250, "touch", 2));
	expect(placed).toEqual(["a", "c"]);
});

test("a cancelled press and the closing of bets place nothing", () => {
	const { gestures, placed } = row();
	gestures.down(at(50));
	gestures.cancel({ pointerId: 1 });
	gestures.up(at(50));
	gestures.down(at(50));
	gestures.end();
	gestures.up(at(50));
	expect(placed).toEqual([]);
});

test("a press on a disabled board is ignored", () => {
	const { gestures, placed } = row({ enabled: false });
	gestures.down(at(50));
	gestures.up(at(50));
	expect([placed, gestures.press]).toEqual([[], null]);
});

test("a mouse highlights the target under it and shows no magnifier", () => {
	const { gestures } = row();
	gestures.move(at(150, "mouse"));
	expect(gestures.hovered?.id).toBe("b");
	gestures.leave();
	expect(gestures.hovered).toBeNull();
	gestures.down(at(150, "mouse"));
	vi.advanceTimersByTime(MAGNIFY_AFTER_MILLIS);
	expect(gestures.press?.magnifier).toBe(false);
});
