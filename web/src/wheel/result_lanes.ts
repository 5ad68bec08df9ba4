/** The lane of a result on the result board. Each colour has its own lane, so that results differ by more than colour. */
import type { Result, WheelInfo } from "../wire.ts";

export type Lane = "first" | "middle" | "last";

/** The two commonest colours stand at the sides, whatever they are called; everything else, and what is void, between them. */
export function laneOf(wheel: WheelInfo, result: Result): Lane {
	const colour = result.outcome === null ? undefined : wheel.colours[result.outcome];
	if (colour === undefined) return "middle";
	const counts = new Map<string, number>();
	for (const pocket of wheel.pockets) {
		const one = wheel.colours[pocket];
		if (one !== undefined) counts.set(one, (counts.get(one) ?? 0) + 1);
	}
	const [first, last] = [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
	return colour === first ? "first" : colour === last ? "last" : "middle";
}

/** Without colours one lane is enough. */
export function hasLanes(wheel: WheelInfo): boolean {
	return Object.keys(wheel.colours).length > 0;
}
