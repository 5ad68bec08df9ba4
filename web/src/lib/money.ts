/** Amounts as people read them. Cents stay whole: nothing here divides what is counted. */

/** Play money has a currency that no country has; it is shown as plain credits. */
const PLAY_MONEY = "XXX";

/** Kept, because making one takes longer than all else that a chip costs. */
const figures = new Map<string, Intl.NumberFormat>();

function grouped(whole: number, locale: string): string {
	const kept = figures.get(locale) ?? new Intl.NumberFormat(locale);
	figures.set(locale, kept);
	return kept.format(whole);
}

export function amount(cents: number, locale = "en"): string {
	const sign = cents < 0 ? "−" : "";
	const whole = Math.trunc(Math.abs(cents) / 100);
	const rest = Math.abs(cents) % 100;
	return `${sign}${grouped(whole, locale)}.${String(rest).padStart(2, "0")}`;
}

/** The currency in a sentence of the staff's. */
export function currencyWord(currency: string): string {
	return currency === PLAY_MONEY ? "play money" : currency;
}

/** With its currency, where it has one. */
export function money(cents: number, currency: string, locale = "en"): string {
	return currency === PLAY_MONEY ? amount(cents, locale) : `${currency} ${amount(cents, locale)}`;
}

/** As short as a chip is small: 50¢ is 0.5, 2500 is 2.5k. */
export function onChip(cents: number): string {
	if (cents >= 100_000_000) return `${trimmed(cents, 100_000_000)}M`;
	if (cents >= 1_000_000) return `${trimmed(cents, 100_000)}k`;
	return trimmed(cents, 100);
}

/** Cut off, never rounded up: a chip does not show more than is there. */
function trimmed(cents: number, unit: number): string {
	const hundredths = Math.trunc((cents * 100) / unit);
	const [whole, rest] = [Math.trunc(hundredths / 100), hundredths % 100];
	return rest === 0 ? `${whole}` : `${whole}.${String(rest).padStart(2, "0").replace(/0$/, "")}`;
}
