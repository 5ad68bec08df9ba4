/** The least and the most of a bet, as the house has set them: read for showing, never for judging. */
import type { Bounds, Limits } from "../wire.ts";

/** So much is as good as no maximum: it is what a house that has set none sends. */
const AS_GOOD_AS_NONE = 100_000_000_000;

export interface Shown {
	readonly min: number;
	readonly max: number | null;
}

/** Of one position: its own bounds, else those of its type; the least of any bet holds everywhere. */
export function boundsOf(limits: Limits, position: { id: string; type: string }): Shown {
	const own = limits.positions?.[position.id] ?? limits.types?.[position.type];
	const least = limits.seat?.min ?? 1;
	return shown({ min: Math.max(own?.min ?? 1, least), max: own?.max });
}

/** Of all bets of a seat together, and the least of any one. */
export function boundsOfSeat(limits: Limits): Shown {
	return shown(limits.seat ?? {});
}

function shown(bounds: Bounds): Shown {
	const max = bounds.max ?? AS_GOOD_AS_NONE;
	return { min: bounds.min ?? 1, max: max >= AS_GOOD_AS_NONE ? null : max };
}
