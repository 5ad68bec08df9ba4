/** The lanes of the result board. Each colour has its own lane, so that colour is not the only difference. */
import type { Result, WheelInfo } from "../wire.ts";

export type Lane = "first" | "middle" | "last";

/** The lane of a result. The two commonest colours have the outer lanes; other colours and void rounds are in the middle. */
export function laneOf(wheel: WheelInfo, result: Result): Lane {
	const colour = result.outcome === null ? undefined : wheel.colours[result.outcome];
	if (colour === undefined) return "middle";
	const counts = new Map<string, number>();
	for (const pocket of wheel.pockets) {
		const one = wheel.colours[pocket];
		if (one !== undefined) counts.set(one, (counts.get(one) ?? 0) + 1);
	}
	const [first, last] = [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
	return colour === first ? "first" : colour === last ? "last" : "middle";
}

/** Whether the wheel has colours, so that there are lanes. */
export function hasLanes(wheel: WheelInfo): boolean {
	return Object.keys(wheel.colours).length > 0;
}
