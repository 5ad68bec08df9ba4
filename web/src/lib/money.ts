/** Formats and parses amounts of money. Amounts are whole cents, never fractions. */

/** The currency code that the server uses for play money. It is not shown. */
const PLAY_MONEY = "XXX";

/** Cached by locale, because creating a formatter is slow. */
const formats = new Map<string, Intl.NumberFormat>();

function grouped(whole: number, locale: string): string {
	const format = formats.get(locale) ?? new Intl.NumberFormat(locale);
	formats.set(locale, format);
	return format.format(whole);
}

/** An amount with two decimals and grouped thousands: "12,345.67". */
export function amount(cents: number, locale = "en"): string {
	const sign = cents < 0 ? "−" : "";
	const whole = Math.trunc(Math.abs(cents) / 100);
	const rest = Math.abs(cents) % 100;
	return `${sign}${grouped(whole, locale)}.${String(rest).padStart(2, "0")}`;
}

/** The currency's name in a sentence for staff. */
export function currencyWord(currency: string): string {
	return currency === PLAY_MONEY ? "play money" : currency;
}

/** The amount with its currency code, or without one for play money. */
export function money(cents: number, currency: string, locale = "en"): string {
	return currency === PLAY_MONEY ? amount(cents, locale) : `${currency} ${amount(cents, locale)}`;
}

/** The short amount on a chip: 50 cents is "0.5", 25,000.00 is "25k". */
export function onChip(cents: number): string {
	if (cents >= 100_000_000) return `${trimmed(cents, 100_000_000)}M`;
	if (cents >= 1_000_000) return `${trimmed(cents, 100_000)}k`;
	return trimmed(cents, 100);
}

/** Divides and truncates to two decimals. Rounding up would show more than the chip's value. */
function trimmed(cents: number, unit: number): string {
	const hundredths = Math.trunc((cents * 100) / unit);
	const [whole, rest] = [Math.trunc(hundredths / 100), hundredths % 100];
	return rest === 0 ? `${whole}` : `${whole}.${String(rest).padStart(2, "0").replace(/0$/, "")}`;
}

/**
 * Parses "50", "12.5" or "1,250.00" as cents; null if the text is not an amount or too large for an exact number.
 * A comma only groups thousands. "12,50" is rejected because it could mean 12.50 or 1,250.
 */
export function parseCents(text: string): number | null {
	const found = /^\s*(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?\s*$/.exec(text);
	if (!found) return null;
	const cents = Number(`${(found[1] ?? "").replaceAll(",", "")}${(found[2] ?? "").padEnd(2, "0")}`);
	return Number.isSafeInteger(cents) ? cents : null;
}

/** Parses an amount that can be paid or staked: like `parseCents`, but null for zero. */
export function parsePositiveCents(text: string): number | null {
	return parseCents(text) || null;
}

/** The amount as the initial text of an input field: "12" or "12.05". */
export function inputText(cents: number): string {
	const rest = cents % 100;
	const whole = Math.trunc(cents / 100);
	return rest === 0 ? `${whole}` : `${whole}.${String(rest).padStart(2, "0")}`;
}

/** The amounts of credits to offer for sale: the values of the three largest chips, and the doubles of these values. */
export function purchaseAmounts(chips: readonly number[]): number[] {
	const upper = chips.slice(-3);
	return [...new Set(upper.flatMap((chip) => [chip, chip * 2]))].sort((a, b) => a - b);
}
