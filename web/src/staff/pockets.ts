/** How pockets are laid out for a finger and named for an ear; which there are, the wheel says. Pure. */
import type { WheelSheet } from "../wire.ts";

/** Keys that stand together, so many abreast. */
export interface KeyRow {
	readonly pockets: readonly string[];
	readonly columns: number;
}

const FEW = 12;
const ABREAST = 6;

/** Many pockets: zeros and the like on top, then 1, 2, 3 … in the order of counting. A few: two abreast, in the wheel's order. */
export function keyRows(pockets: readonly string[]): KeyRow[] {
	if (pockets.length <= FEW) {
		const pairs = pockets.length - (pockets.length % 2);
		const rows = [
			{ pockets: pockets.slice(0, pairs), columns: 2 },
			{ pockets: pockets.slice(pairs), columns: 1 },
		];
		return rows.filter((row) => row.pockets.length > 0);
	}
	const counting = (pocket: string) => /^[1-9][0-9]*$/.test(pocket);
	const apart = pockets.filter((pocket) => !counting(pocket));
	const numbers = pockets.filter(counting).sort((one, other) => Number(one) - Number(other));
	return [
		...(apart.length > 0 ? [{ pockets: apart, columns: Math.min(apart.length, ABREAST) }] : []),
		{ pockets: numbers, columns: ABREAST },
	];
}

/** "17 black" */
export function spoken(wheel: Pick<WheelSheet, "colours">, pocket: string): string {
	return [pocket, wheel.colours[pocket]].filter(Boolean).join(" ");
}
