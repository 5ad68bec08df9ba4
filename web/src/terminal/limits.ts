/** The minimum and maximum of a bet as shown to the Player. The server enforces them. */
import type { Bounds, Limits } from "../wire.ts";

/** The maximum that the server sends where none is set. */
const AS_GOOD_AS_NONE = 100_000_000_000;

export interface Shown {
	readonly min: number;
	readonly max: number | null;
}

/** The limits of a position: its own, else those of its type. The minimum of any bet always applies. */
export function boundsOf(limits: Limits, position: { id: string; type: string }): Shown {
	const own = limits.positions?.[position.id] ?? limits.types?.[position.type];
	const least = limits.seat?.min ?? 1;
	return shown({ min: Math.max(own?.min ?? 1, least), max: own?.max });
}

/** The maximum of all bets of a seat and the minimum of any one. */
export function boundsOfSeat(limits: Limits): Shown {
	return shown(limits.seat ?? {});
}

function shown(bounds: Bounds): Shown {
	const max = bounds.max ?? AS_GOOD_AS_NONE;
	return { min: bounds.min ?? 1, max: max >= AS_GOOD_AS_NONE ? null : max };
}
