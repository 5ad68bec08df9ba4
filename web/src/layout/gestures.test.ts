import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Gestures, MAGNIFY_AFTER, TAKE_AFTER } from "./gestures.svelte.ts";

/** A row of targets, a hundred pixels each; nothing left of 0 or right of 300. */
function ground(options: { staked?: string[]; enabled?: boolean } = {}) {
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

test("a tap places where it was", () => {
	const { gestures, placed } = ground();
	gestures.down(at(50));
	expect(gestures.press?.target?.id).toBe("a");
	gestures.up(at(50));
	expect(placed).toEqual(["a"]);
	expect(gestures.press).toBeNull();
});

test("a slide changes the target and shows the magnifier at once; the release places on the last target", () => {
	const { gestures, placed } = ground();
	gestures.down(at(90));
	gestures.moved(at(130));
	expect(gestures.press).toMatchObject({ target: { id: "b" }, magnifier: true });
	gestures.up(at(130));
	expect(placed).toEqual(["b"]);
});

test("a finger that trembles across a border keeps its target", () => {
	const { gestures, placed } = ground();
	gestures.down(at(95));
	gestures.moved(at(104));
	gestures.up(at(104));
	expect(placed).toEqual(["a"]);
});

test("to slide off cancels", () => {
	const { gestures, placed } = ground();
	gestures.down(at(50));
	gestures.moved(at(-40));
	expect(gestures.press?.target).toBeNull();
	gestures.up(at(-40));
	expect(placed).toEqual([]);
});

test("a press that is held shows the magnifier, and under it every small move counts", () => {
	const { gestures, placed } = ground();
	gestures.down(at(96));
	vi.advanceTimersByTime(MAGNIFY_AFTER);
	expect(gestures.press?.magnifier).toBe(true);
	gestures.moved(at(103));
	gestures.up(at(103));
	expect(placed).toEqual(["b"]);
});

test("held on a stake it takes back, once, and places nothing", () => {
	const { gestures, placed, taken } = ground({ staked: ["a"] });
	gestures.down(at(50));
	vi.advanceTimersByTime(TAKE_AFTER);
	gestures.up(at(50));
	expect([placed, taken]).toEqual([[], ["a"]]);
});

test("held where nothing stands, it still places", () => {
	const { gestures, placed, taken } = ground();
	gestures.down(at(50));
	vi.advanceTimersByTime(3 * TAKE_AFTER);
	gestures.up(at(50));
	expect([placed, taken]).toEqual([["a"], []]);
});

test("sliding away from a stake does not take it back", () => {
	const { gestures, placed, taken } = ground({ staked: ["a", "b"] });
	gestures.down(at(50));
	gestures.moved(at(150));
	vi.advanceTimersByTime(3 * TAKE_AFTER);
	gestures.up(at(150));
	expect([placed, taken]).toEqual([["b"], []]);
});

test("two thumbs place two chips", () => {
	const { gestures, placed } = ground();
	gestures.down(at(50, "touch", 1));
	gestures.down(at(250, "touch", 2));
	gestures.up(at(50, "touch", 1));
	expect(gestures.press?.target?.id).toBe("c");
	gestures.up(at(250, "touch", 2));
	expect(placed).toEqual(["a", "c"]);
});

test("a cancelled press and the closing of bets place nothing", () => {
	const { gestures, placed } = ground();
	gestures.down(at(50));
	gestures.cancelled({ pointerId: 1 });
	gestures.up(at(50));
	gestures.down(at(50));
	gestures.end();
	gestures.up(at(50));
	expect(placed).toEqual([]);
});

test("a board that is closed is not pressed", () => {
	const { gestures, placed } = ground({ enabled: false });
	gestures.down(at(50));
	gestures.up(at(50));
	expect([placed, gestures.press]).toEqual([[], null]);
});

test("a mouse shows what it is over, without a magnifier", () => {
	const { gestures } = ground();
	gestures.moved(at(150, "mouse"));
	expect(gestures.hovered?.id).toBe("b");
	gestures.left();
	expect(gestures.hovered).toBeNull();
	gestures.down(at(150, "mouse"));
	vi.advanceTimersByTime(MAGNIFY_AFTER);
	expect(gestures.press?.magnifier).toBe(false);
});
