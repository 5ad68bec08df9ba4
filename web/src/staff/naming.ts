/** Names and instants as the office reads them. Pure; what is named comes from the house. */

/** `corner:25-26-28-29` as people say it: "Corner 25-26-28-29". */
export function positionName(id: string): string {
	const [type = "", of = ""] = id.split(":");
	const words = type.replaceAll("_", " ");
	return `${words.charAt(0).toUpperCase()}${words.slice(1)}${of ? ` ${of}` : ""}`;
}

/** A word of programs, as people write it: `round_corrected.v1` is "round corrected". */
export function plain(word: string): string {
	return word.replace(/\.v\d+$/, "").replaceAll("_", " ");
}

export function capital(words: string): string {
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What the house tells people names some things as programs do. */
export function spoken(text: string): string {
	return text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => word.replaceAll("_", " "));
}

export function sentence(word: string): string {
	return capital(plain(word));
}

const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };

/** Of today the time alone, else with its day; in the time of this desk. */
export function instant(at: number, now: number): string {
	const [then, today] = [new Date(at), new Date(now)];
	const clock = then.toLocaleTimeString("en-GB", CLOCK);
	if (then.toDateString() === today.toDateString()) return clock;
	const day = then.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
	return `${day}, ${clock}`;
}

/** How long ago, or how long still: "40 s", "12 min", "3 h", "2 days". */
export function span(millis: number): string {
	const seconds = Math.max(0, Math.round(millis / 1000));
	if (seconds < 90) return `${seconds} s`;
	const minutes = Math.round(seconds / 60);
	if (minutes < 90) return `${minutes} min`;
	const hours = Math.round(minutes / 60);
	return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** One column of `rows` with these heads, as a spreadsheet reads it. What would be taken for a formula gets an apostrophe. */
export function csv(heads: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
	const cell = (value: string | number | null): string => {
		if (value === null) return "";
		if (typeof value === "number") return String(value);
		const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
		return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
	};
	return `${[heads, ...rows].map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}
