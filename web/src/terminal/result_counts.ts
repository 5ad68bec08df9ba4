/** Plain counts of past results. It ranks nothing and foretells nothing, because past spins change nothing. */
import type { LayoutSheet, Result, WheelSheet } from "../wire.ts";

export interface Counted {
	readonly id: string;
	readonly times: number;
}

/** How often each pocket came, in the order of the wheel's own list. */
export function countPockets(results: readonly Result[], wheel: WheelSheet): Counted[] {
	return wheel.pockets.map((pocket) => ({
		id: pocket,
		times: results.filter((result) => result.outcome === pocket).length,
	}));
}

/** How often each bet that has a box of its own on the layout, and covers several numbers, would have won. */
export function countBoxes(results: readonly Result[], layout: LayoutSheet): Counted[] {
	const positions = new Map(layout.positions.map((position) => [position.id, position]));
	return layout.boxes.flatMap((box) => {
		const covers = positions.get(box.position)?.covers ?? [];
		if (covers.length < 2) return [];
		const times = results.filter(({ outcome }) => outcome !== null && covers.includes(outcome)).length;
		return [{ id: box.position, times }];
	});
}
