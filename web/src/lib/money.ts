/**
 * Formats and parses amounts of money. Amounts are whole minor units of a currency, never fractions; names such as
 * `cents` mean minor units. Without a currency, an amount is in that of the house.
 */
import { DECIMALS } from "../wire.ts";
import { houseCurrency, PLAY_MONEY } from "./house_currency.svelte.ts";

/** The number of decimals of a currency. `Intl` has other numbers for some currencies, which the journal does not use. */
export function decimalsOf(currency: string): number {
	return DECIMALS[currency] ?? 2;
}

/** Cached by locale and decimals, because creating a formatter is slow. */
const formats = new Map<string, Intl.NumberFormat>();

/** Formats a decimal number. It is a text, because a large amount divided by 1,000 is no exact number. */
function formatted(value: string, decimals: number, locale: string): string {
	const key = `${locale} ${decimals}`;
	const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
	const format = formats.get(key) ?? new Intl.NumberFormat(locale, digits);
	formats.set(key, format);
	return format.format(value as Intl.StringNumericLiteral);
}

/** An amount with the decimals of its currency and grouped thousands: "12,345.67", or "12,345" for yen. */
export function amount(cents: number, locale = "en", currency = houseCurrency.code): string {
	const decimals = decimalsOf(currency);
	const sign = cents < 0 ? "−" : "";
	return `${sign}${formatted(inputText(Math.abs(cents), currency), decimals, locale)}`;
}

/** An amount without decimals if it is a whole number of the currency unit, else like `amount`. */
export function shortAmount(cents: number, locale = "en", currency = houseCurrency.code): string {
	const unit = 10 ** decimalsOf(currency);
	return cents % unit === 0 ? amount(cents / unit, locale, WHOLE) : amount(cents, locale, currency);
}

/** A currency without decimals, to format whole numbers. */
const WHOLE = "JPY";

/** The currency's name in a sentence for staff. */
export function currencyWord(currency: string): string {
	return currency === PLAY_MONEY ? "play money" : currency;
}

/** The amount with its currency code, or without one for play money. */
export function money(cents: number, currency: string, locale = "en"): string {
	const text = amount(cents, locale, currency);
	return currency === PLAY_MONEY ? text : `${currency} ${text}`;
}

/** The short amount on a chip: "0.5", "25", "25k" for 25,000, "1.5M". */
export function onChip(cents: number, currency = houseCurrency.code): string {
	const decimals = decimalsOf(currency);
	const unit = 10 ** decimals;
	if (cents >= 1_000_000 * unit) return `${trimmed(cents, 1_000_000 * unit, 2)}M`;
	if (cents >= 10_000 * unit) return `${trimmed(cents, 1_000 * unit, 2)}k`;
	return trimmed(cents, unit, decimals);
}

/** Divides and truncates to a number of decimals. Rounding up would show more than the chip's value. */
function trimmed(cents: number, unit: number, decimals: number): string {
	const scale = 10 ** decimals;
	const scaled = Math.trunc((cents * scale) / unit);
	const [whole, rest] = [Math.trunc(scaled / scale), scaled % scale];
	return rest === 0 ? `${whole}` : withDecimals(whole, rest, decimals).replace(/0+$/, "");
}

function withDecimals(whole: number, rest: number, decimals: number): string {
	return decimals === 0 || rest === 0 ? `${whole}` : `${whole}.${String(rest).padStart(decimals, "0")}`;
}

/**
 * Parses "50", "12.5" or "1,250.00" as minor units; null if the text is not an amount, has more decimals than the
 * currency, or is too large for an exact number.
 * A comma only groups thousands. "12,50" is rejected because it could mean 12.50 or 1,250.
 */
export function parseCents(text: string, currency = houseCurrency.code): number | null {
	const decimals = decimalsOf(currency);
	const found = /^\s*(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?\s*$/.exec(text);
	if (!found || (found[2] ?? "").length > decimals) return null;
	const cents = Number(`${(found[1] ?? "").replaceAll(",", "")}${(found[2] ?? "").padEnd(decimals, "0")}`);
	return Number.isSafeInteger(cents) ? cents : null;
}

/** Parses an amount that can be paid or staked: like `parseCents`, but null for zero. */
export function parsePositiveCents(text: string, currency = houseCurrency.code): number | null {
	return parseCents(text, currency) || null;
}

/** The amount as the initial text of an input field: "12" or "12.05". */
export function inputText(cents: number, currency = houseCurrency.code): string {
	const decimals = decimalsOf(currency);
	const unit = 10 ** decimals;
	return withDecimals(Math.trunc(cents / unit), cents % unit, decimals);
}

/** An amount as an example of what to type: "12.50", "12" for yen. */
export function exampleAmount(currency = houseCurrency.code): string {
	const unit = 10 ** decimalsOf(currency);
	return inputText(12 * unit + Math.trunc(unit / 2), currency);
}

/** The amounts of credits to offer for sale: the values of the three largest chips, and the doubles of these values. */
export function purchaseAmounts(chips: readonly number[]): number[] {
	const upper = chips.slice(-3);
	return [...new Set(upper.flatMap((chip) => [chip, chip * 2]))].sort((a, b) => a - b);
}
