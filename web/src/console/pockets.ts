/** How pockets are laid out for a finger and named for an ear; which there are, the wheel says. Pure. */
import type { WheelSheet } from "../wire.ts";

export interface KeyRows {
	/** Those whose name is no counting number: zeros, symbols. */
	readonly apart: readonly string[];
	/** 1, 2, 3 … in the order of counting. */
	readonly numbers: readonly string[];
}

export function keyRows(pockets: readonly string[]): KeyRows {
	const counting = (pocket: string) => /^[1-9][0-9]*$/.test(pocket);
	return {
		apart: pockets.filter((pocket) => !counting(pocket)),
		numbers: pockets.filter(counting).sort((one, other) => Number(one) - Number(other)),
	};
}

/** The colour in words, where the wheel has colours. */
export function colourWord(wheel: Pick<WheelSheet, "colours">, pocket: string): string {
	return wheel.colours[pocket] ?? "";
}

/** "17 black" */
export function spoken(wheel: Pick<WheelSheet, "colours">, pocket: string): string {
	return [pocket, colourWord(wheel, pocket)].filter(Boolean).join(" ");
}
