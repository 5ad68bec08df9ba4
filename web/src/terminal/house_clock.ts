/** A time of the house in the Player's language, with the name of its zone. */
import { zoneName } from "../lib/format.ts";
import { houseTime } from "../lib/house_time.svelte.ts";
import { speech } from "../lib/i18n.svelte.ts";

export function clock(at: number): string {
	const zone = houseTime.zone;
	const time = new Date(at).toLocaleTimeString(speech.locale, { timeStyle: "short", hour12: false, timeZone: zone });
	return `${time} ${zoneName(zone, at, speech.locale)}`;
}

/** A time of the house with its day, for a time that may not be today. */
export function moment(at: number): string {
	const options = { day: "numeric", month: "short", timeZone: houseTime.zone } as const;
	return `${new Date(at).toLocaleDateString(speech.locale, options)}, ${clock(at)}`;
}
