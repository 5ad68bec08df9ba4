/** Formats identifiers, times, durations, fractions and CSV. Pure functions. */

/** `corner:25-26-28-29` becomes "Corner 25-26-28-29". */
export function positionName(id: string): string {
	const [type = "", of = ""] = id.split(":");
	const text = type.replaceAll("_", " ");
	return `${text.charAt(0).toUpperCase()}${text.slice(1)}${of ? ` ${of}` : ""}`;
}

/** An identifier as words: `round_corrected.v1` becomes "round corrected". */
export function plain(id: string): string {
	return id.replace(/\.v\d+$/, "").replaceAll("_", " ");
}

/** The text with a capital first letter. */
export function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Replaces identifiers in a sentence of the server by words: `bets_open` becomes "bets open". */
export function spoken(text: string): string {
	return text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => word.replaceAll("_", " "));
}

/** An identifier as words with a capital first letter. */
export function sentence(id: string): string {
	return capital(plain(id));
}

const PARTS: Intl.DateTimeFormatOptions = {
	year: "numeric",
	month: "2-digit",
	day: "2-digit",
	hour: "2-digit",
	minute: "2-digit",
	second: "2-digit",
	hourCycle: "h23",
};

/** The date and the time of day of an instant in a time zone: "2026-05-07" and "09:05:03". */
function wallTime(at: number, zone: string): [day: string, clock: string] {
	const parts = new Intl.DateTimeFormat("en-GB", { ...PARTS, timeZone: zone }).formatToParts(at);
	const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? "";
	const day = `${of("year").padStart(4, "0")}-${of("month")}-${of("day")}`;
	return [day, `${of("hour")}:${of("minute")}:${of("second")}`];
}

/** The date in a time zone: "2026-05-07". */
export function dayIn(zone: string, at: number): string {
	return wallTime(at, zone)[0];
}

/** The time of day in a time zone, to the millisecond: "09:05:03.250". */
export function clockIn(zone: string, at: number): string {
	return `${wallTime(at, zone)[1]}.${String(at % 1000).padStart(3, "0")}`;
}

/** The short name of a time zone at an instant: "UTC", "CEST", "GMT+8". */
export function zoneName(zone: string, at: number, locale = "en-GB"): string {
	const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: "short" }).formatToParts(at);
	return parts.find((part) => part.type === "timeZoneName")?.value ?? zone;
}

/** The time of day in a time zone with the zone's short name, and with the date unless it is today. */
export function instant(at: number, now: number, zone: string): string {
	const [day, clock] = wallTime(at, zone);
	const named = `${clock} ${zoneName(zone, at)}`;
	if (day === dayIn(zone, now)) return named;
	const date: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", year: "numeric", timeZone: zone };
	return `${new Intl.DateTimeFormat("en-GB", date).format(at)}, ${named}`;
}

/** The value of a `datetime-local` field for an instant in a time zone, to the minute. */
export function fieldOf(at: number, zone: string): string {
	const [day, clock] = wallTime(at, zone);
	return `${day}T${clock.slice(0, 5)}`;
}

/**
 * The instant of a `datetime-local` value in a time zone.
 * A time that the clocks skip in spring gives an instant one hour earlier or later.
 */
export function instantOf(field: string, zone: string): number {
	const asUtc = Date.parse(`${field}Z`);
	/** How far the zone is ahead of UTC, in milliseconds. */
	const ahead = (at: number) => {
		const whole = Math.floor(at / 1000) * 1000;
		return Date.parse(`${wallTime(whole, zone).join("T")}Z`) - whole;
	};
	// The zone's offset may differ between the first guess and the result.
	const guess = asUtc - ahead(asUtc);
	return asUtc - ahead(guess);
}

/** A duration in its largest sensible unit: "40 s", "12 min", "3 h", "2 days". */
export function span(millis: number): string {
	const seconds = Math.max(0, Math.round(millis / 1000));
	if (seconds < 90) return `${seconds} s`;
	const minutes = Math.round(seconds / 60);
	if (minutes < 90) return `${minutes} min`;
	const hours = Math.round(minutes / 60);
	return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** Rows as CSV with a header line. Text that a spreadsheet would evaluate as a formula gets an apostrophe before it, but no number does. */
export function csv(heads: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
	const cell = (value: string | number | null): string => {
		if (value === null) return "";
		if (typeof value === "number") return String(value);
		const isNumber = /^-?\d+(\.\d+)?(\/\d+)?$/.test(value);
		const safe = !isNumber && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
		return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
	};
	return `${[heads, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

/** A duration as hours and minutes: "1:05". */
export function hoursAndMinutes(millis: number): string {
	const minutes = Math.trunc(millis / 60_000);
	return `${Math.trunc(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}

/** An exact fraction as a percentage: "1/19" becomes "5.26 %". Rounds half up, in integer arithmetic. */
export function percent(fraction: string, decimals = 2): string {
	const [above = "0", below = "1"] = fraction.split("/");
	const scale = 10n ** BigInt(decimals + 2);
	const [numerator, denominator] = [BigInt(above), BigInt(below)];
	const negative = numerator < 0n;
	const doubled = ((negative ? -numerator : numerator) * scale * 2n) / denominator;
	const digits = String((doubled + 1n) / 2n).padStart(decimals + 1, "0");
	const whole = digits.slice(0, digits.length - decimals);
	return `${negative ? "−" : ""}${whole}${decimals > 0 ? `.${digits.slice(-decimals)}` : ""} %`;
}
