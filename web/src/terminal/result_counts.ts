/** Counts past results. It makes no predictions, because past spins do not affect future ones. */
import type { LayoutInfo, Result, WheelInfo } from "../wire.ts";

export interface Counted {
	readonly id: string;
	readonly times: number;
}

/** The count of each pocket, in the wheel's order. */
export function countPockets(results: readonly Result[], wheel: WheelInfo): Counted[] {
	return wheel.pockets.map((pocket) => ({
		id: pocket,
		times: results.filter((result) => result.outcome === pocket).length,
	}));
}

/** The count of wins of each bet that has its own box on the layout and covers several pockets. */
export function countBoxes(results: readonly Result[], layout: LayoutInfo): Counted[] {
	const positions = new Map(layout.positions.map((position) => [position.id, position]));
	return layout.boxes.flatMap((box) => {
		const covers = positions.get(box.position)?.covers ?? [];
		if (covers.length < 2) return [];
		const times = results.filter(({ outcome }) => outcome !== null && covers.includes(outcome)).length;
		return [{ id: box.position, times }];
	});
}
