/** A result is entered twice, or once where a reading is on record already: one slip of the finger never becomes a result.
 *
 * Pure. Nothing is sent before two agree, so that nobody sees a number that was only mistyped.
 */

export interface Entry {
	/** What was entered first, and waits for its second. */
	readonly first: string | null;
	/** Two that did not agree: both are forgotten, and both are shown. */
	readonly differed: readonly [string, string] | null;
}

export interface Entered {
	readonly entry: Entry;
	/** What two have agreed on. */
	readonly agreed: string | null;
}

export const NOTHING_ENTERED: Entry = { first: null, differed: null };

/** `reading` is what is on record already, by the wheel or by the console. */
export function entered(entry: Entry, pocket: string, reading: string | null): Entered {
	if (entry.first === null) {
		if (pocket === reading) return { entry: NOTHING_ENTERED, agreed: pocket };
		return { entry: { first: pocket, differed: null }, agreed: null };
	}
	if (pocket === entry.first) return { entry: NOTHING_ENTERED, agreed: pocket };
	return { entry: { first: null, differed: [entry.first, pocket] }, agreed: null };
}

/**
 * What is typed so far, and which pocket it means: exactly one of that name, or the only one that begins so.
 * `00` typed as `0` `0` is never taken for `0` on the way, because typing is only taken with Enter.
 */
export function typedPocket(typed: string, pockets: readonly string[]): string | null {
	if (typed === "") return null;
	const word = typed.toUpperCase();
	const exact = pockets.find((pocket) => pocket.toUpperCase() === word);
	if (exact !== undefined) return exact;
	const beginning = pockets.filter((pocket) => pocket.toUpperCase().startsWith(word));
	return beginning.length === 1 ? (beginning[0] ?? null) : null;
}

/** What a key makes of what is typed; nothing where the key means nothing here or leads to no pocket. */
export function typedOn(typed: string, key: string, pockets: readonly string[]): string | null {
	if (key === "Backspace") return typed.slice(0, -1);
	if (key === "Escape" || key === "Delete") return "";
	if (!/^[\p{L}\p{N}]$/u.test(key)) return null;
	const next = (typed + key).toUpperCase();
	return pockets.some((pocket) => pocket.toUpperCase().startsWith(next)) ? next : null;
}
