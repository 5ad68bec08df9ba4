/** Sums of money that a Player chooses from. */

/** Six sums to buy credits for, from the upper chips of the tray: what a Player would bring to such a table. */
export function amountsOf(chips: readonly number[]): number[] {
	const upper = chips.slice(-3);
	return [...new Set(upper.flatMap((chip) => [chip, chip * 2]))].sort((a, b) => a - b);
}
