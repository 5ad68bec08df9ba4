/** The loss limit that a Player sets for himself: lowered at once, raised or removed only after thinking it over.
 *
 * It is the terminal's own word to the Player, not a rule of the game: the house never hears of it.
 */

export const COOLING_MINUTES = 10;
const COOLING_MILLIS = COOLING_MINUTES * 60_000;

export interface LossLimit {
	/** Cents that may be lost; null: no limit. */
	readonly cents: number | null;
	/** What was asked for and is not yet in force. */
	readonly next: { readonly cents: number | null; readonly from: number } | null;
}

export const NO_LIMIT: LossLimit = { cents: null, next: null };

/** The limit as it is at an instant. */
export function limitAt(limit: LossLimit, now: number): LossLimit {
	return limit.next !== null && now >= limit.next.from ? { cents: limit.next.cents, next: null } : limit;
}

export function changed(before: LossLimit, cents: number | null, now: number): LossLimit {
	const limit = limitAt(before, now);
	const isLower = limit.cents === null || (cents !== null && cents <= limit.cents);
	if (isLower) return { cents, next: null };
	return { cents: limit.cents, next: { cents, from: now + COOLING_MILLIS } };
}

/**
 * How much may still be staked, or null where nothing limits it. `net` is what was won (or lost, less than nothing) so far;
 * what stands on the layout counts as lost, because it may be.
 */
export function leftToLose(limit: LossLimit, net: number, standing: number): number | null {
	return limit.cents === null ? null : Math.max(0, limit.cents + net - standing);
}
