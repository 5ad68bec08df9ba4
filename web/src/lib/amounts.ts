/** An amount as somebody writes it, in whole cents. Pure; no float comes near it. */

/**
 * "50", "12.5", "1,250.00"; nothing where it is no amount, or more than can be counted exactly. A comma parts thousands and
 * nothing else: "12,50" is no amount, because one of its readings is a hundred times the other.
 */
export function typed(text: string): number | null {
	const found = /^\s*(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?\s*$/.exec(text);
	if (!found) return null;
	const cents = Number(`${(found[1] ?? "").replaceAll(",", "")}${(found[2] ?? "").padEnd(2, "0")}`);
	return Number.isSafeInteger(cents) ? cents : null;
}

/** What can be paid or staked: an amount above nothing. */
export function centsOf(text: string): number | null {
	return typed(text) || null;
}

/** As it is written into a field, to be changed. */
export function written(cents: number): string {
	const rest = cents % 100;
	const whole = Math.trunc(cents / 100);
	return rest === 0 ? `${whole}` : `${whole}.${String(rest).padStart(2, "0")}`;
}
