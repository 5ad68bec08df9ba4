/** Amounts of money that people type and choose. Whole cents in, whole cents out. */

/** "12.50" or "1,200" in cents; nothing where it is no amount. */
export function centsOf(text: string): number | null {
	const plain = text.replace(/[\s,]/g, "");
	const match = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(plain);
	if (match === null) return null;
	const cents = Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
	return cents > 0 ? cents : null;
}

/** Six sums to buy credits for, from the upper chips of the tray: what a Player would bring to such a table. */
export function amountsOf(chips: readonly number[]): number[] {
	const upper = chips.slice(-3);
	return [...new Set(upper.flatMap((chip) => [chip, chip * 2]))].sort((a, b) => a - b);
}
