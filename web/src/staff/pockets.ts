/** The arrangement of pockets on a keypad, and their names for screen readers. Pure functions. */
import type { WheelInfo } from "../wire.ts";

/** A group of keys. A low place has more columns, so that the keys stay large enough to touch. */
export interface KeyRow {
	readonly pockets: readonly string[];
	readonly columns: number;
	/** The number of columns in a low place. */
	readonly lowColumns: number;
}

/** Up to this many pockets are arranged in two columns. */
const FEW = 12;
const COLUMNS = 6;
const LOW_COLUMNS = 9;

/**
 * Arranges the pockets on a keypad. Many pockets: zeros and symbols first, then the numbers in order.
 * A few pockets: two columns, in the given order.
 */
export function keyRows(pockets: readonly string[]): KeyRow[] {
	if (pockets.length <= FEW) {
		const pairs = pockets.length - (pockets.length % 2);
		const rows = [
			{ pockets: pockets.slice(0, pairs), columns: 2, lowColumns: 2 },
			{ pockets: pockets.slice(pairs), columns: 1, lowColumns: 1 },
		];
		return rows.filter((row) => row.pockets.length > 0);
	}
	const counting = (pocket: string) => /^[1-9][0-9]*$/.test(pocket);
	const apart = pockets.filter((pocket) => !counting(pocket));
	const numbers = pockets.filter(counting).sort((one, other) => Number(one) - Number(other));
	const zeros = Math.min(apart.length, COLUMNS);
	return [
		...(apart.length > 0 ? [{ pockets: apart, columns: zeros, lowColumns: zeros }] : []),
		{ pockets: numbers, columns: COLUMNS, lowColumns: LOW_COLUMNS },
	];
}

/** The name of a pocket for screen readers: "17 black". */
export function spoken(wheel: Pick<WheelInfo, "colours">, pocket: string): string {
	return [pocket, wheel.colours[pocket]].filter(Boolean).join(" ");
}
