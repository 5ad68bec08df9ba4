/** The loss limit that a Player sets: lowering it takes effect at once, raising or removing it only after a delay.
 *
 * It is a service of the terminal, not a rule of the game. The server does not know it.
 */

export const COOLING_MINUTES = 10;
const COOLING_MILLIS = COOLING_MINUTES * 60_000;

export interface LossLimit {
	/** The cents that may be lost, or null for no limit. */
	readonly cents: number | null;
	/** A change that is not yet in effect. `from` is its time in milliseconds. */
	readonly next: { readonly cents: number | null; readonly from: number } | null;
}

export const NO_LIMIT: LossLimit = { cents: null, next: null };

/** The limit in effect at the time `now`, in milliseconds. */
export function limitAt(limit: LossLimit, now: number): LossLimit {
	return limit.next !== null && now >= limit.next.from ? { cents: limit.next.cents, next: null } : limit;
}

/** Sets a new limit. A lower limit takes effect at once, a higher one after the delay. */
export function changed(before: LossLimit, cents: number | null, now: number): LossLimit {
	const limit = limitAt(before, now);
	const isLower = limit.cents === null || (cents !== null && cents <= limit.cents);
	if (isLower) return { cents, next: null };
	return { cents: limit.cents, next: { cents, from: now + COOLING_MILLIS } };
}

/**
 * The amount in cents that may still be staked, or null without a limit. `net` is the session's result, negative for a loss.
 * Stakes on the layout count as lost.
 */
export function leftToLose(limit: LossLimit, net: number, staked: number): number | null {
	return limit.cents === null ? null : Math.max(0, limit.cents + net - staked);
}
