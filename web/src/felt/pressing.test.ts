import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LOUPE_AFTER, Pressing, TAKE_AFTER } from "./pressing.svelte.ts";

/** A row of targets, a hundred pixels each; nothing left of 0 or right of 300. */
function ground(options: { staked?: string[]; enabled?: boolean } = {}) {
	const [placed, taken]: [string[], string[]] = [[], []];
	const pressing = new Pressing<{ id: string }>({
		at: (x) => (x >= 0 && x < 300 ? { id: ["a", "b", "c"][Math.floor(x / 100)] ?? "" } : null),
		staked: (id) => options.staked?.includes(id) ?? false,
		enabled: () => options.enabled ?? true,
		place: (id) => placed.push(id),
		take: (id) => taken.push(id),
	});
	return { pressing, placed, taken };
}

const at = (clientX: number, pointerType = "touch", pointerId = 1) => ({ pointerId, pointerType, clientX, clientY: 0 });

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

test("a tap places where it was", () => {
	const { pressing, placed } = ground();
	pressing.down(at(50));
	expect(pressing.press?.target?.id).toBe("a");
	pressing.up(at(50));
	expect(placed).toEqual(["a"]);
	expect(pressing.press).toBeNull();
});

test("a slide aims anew and shows the loupe at once; the release places what was last aimed at", () => {
	const { pressing, placed } = ground();
	pressing.down(at(90));
	pressing.moved(at(130));
	expect(pressing.press).toMatchObject({ target: { id: "b" }, loupe: true });
	pressing.up(at(130));
	expect(placed).toEqual(["b"]);
});

test("a finger that trembles over a line keeps what it pressed", () => {
	const { pressing, placed } = ground();
	pressing.down(at(95));
	pressing.moved(at(104));
	pressing.up(at(104));
	expect(placed).toEqual(["a"]);
});

test("to slide off cancels", () => {
	const { pressing, placed } = ground();
	pressing.down(at(50));
	pressing.moved(at(-40));
	expect(pressing.press?.target).toBeNull();
	pressing.up(at(-40));
	expect(placed).toEqual([]);
});

test("a press that is held shows the loupe, and under it every small move counts", () => {
	const { pressing, placed } = ground();
	pressing.down(at(96));
	vi.advanceTimersByTime(LOUPE_AFTER);
	expect(pressing.press?.loupe).toBe(true);
	pressing.moved(at(103));
	pressing.up(at(103));
	expect(placed).toEqual(["b"]);
});

test("held on a stake it takes back, once, and places nothing", () => {
	const { pressing, placed, taken } = ground({ staked: ["a"] });
	pressing.down(at(50));
	vi.advanceTimersByTime(TAKE_AFTER);
	pressing.up(at(50));
	expect([placed, taken]).toEqual([[], ["a"]]);
});

test("held where nothing stands, it still places", () => {
	const { pressing, placed, taken } = ground();
	pressing.down(at(50));
	vi.advanceTimersByTime(3 * TAKE_AFTER);
	pressing.up(at(50));
	expect([placed, taken]).toEqual([["a"], []]);
});

test("who slides on from a stake does not take it back", () => {
	const { pressing, placed, taken } = ground({ staked: ["a", "b"] });
	pressing.down(at(50));
	pressing.moved(at(150));
	vi.advanceTimersByTime(3 * TAKE_AFTER);
	pressing.up(at(150));
	expect([placed, taken]).toEqual([["b"], []]);
});

test("two thumbs place two chips", () => {
	const { pressing, placed } = ground();
	pressing.down(at(50, "touch", 1));
	pressing.down(at(250, "touch", 2));
	pressing.up(at(50, "touch", 1));
	expect(pressing.press?.target?.id).toBe("c");
	pressing.up(at(250, "touch", 2));
	expect(placed).toEqual(["a", "c"]);
});

test("what the system takes away, or the closing of bets, places nothing", () => {
	const { pressing, placed } = ground();
	pressing.down(at(50));
	pressing.cancelled({ pointerId: 1 });
	pressing.up(at(50));
	pressing.down(at(50));
	pressing.end();
	pressing.up(at(50));
	expect(placed).toEqual([]);
});

test("a board that is closed is not pressed", () => {
	const { pressing, placed } = ground({ enabled: false });
	pressing.down(at(50));
	pressing.up(at(50));
	expect([placed, pressing.press]).toEqual([[], null]);
});

test("a mouse shows what it is over, without a loupe", () => {
	const { pressing } = ground();
	pressing.moved(at(150, "mouse"));
	expect(pressing.hovered?.id).toBe("b");
	pressing.left();
	expect(pressing.hovered).toBeNull();
	pressing.down(at(150, "mouse"));
	vi.advanceTimersByTime(LOUPE_AFTER);
	expect(pressing.press?.loupe).toBe(false);
});
