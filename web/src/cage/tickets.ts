/** Reads the numbers of tickets as people type and scanners send them. Pure functions. */

const DIGITS = 20;

/** The digits of a typed or scanned text. Spaces, dashes and the letters of a scanner's prefix are left out. */
export function digitsOf(text: string): string {
	return text.replace(/\D/g, "");
}

export function isWhole(text: string): boolean {
	return digitsOf(text).length === DIGITS;
}

/** The number in groups of four digits, as a ticket shows it. */
export function grouped(number: string): string {
	return number.replace(/(\d{4})(?=\d)/g, "$1 ");
}
