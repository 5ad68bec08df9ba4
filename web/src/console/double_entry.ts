/** Double entry of a result, so that one slip of the finger never becomes a result.
 *
 * A result is entered twice, or once if it agrees with a reading on record.
 */

export interface Entry {
	/** The first entry, or null if it has not been made. */
	readonly first: string | null;
	/** The last two entries if they differed, to be shown. Both are discarded. */
	readonly differed: readonly [string, string] | null;
}

export interface Entered {
	readonly entry: Entry;
	/** The outcome if two entries agree, or else null. */
	readonly agreed: string | null;
}

export const NOTHING_ENTERED: Entry = { first: null, differed: null };

/** Adds an entry. `reading` is the outcome on record, from the wheel or from the console. */
export function entered(entry: Entry, pocket: string, reading: string | null): Entered {
	if (entry.first === null) {
		if (pocket === reading) return { entry: NOTHING_ENTERED, agreed: pocket };
		return { entry: { first: pocket, differed: null }, agreed: null };
	}
	if (pocket === entry.first) return { entry: NOTHING_ENTERED, agreed: pocket };
	return { entry: { first: null, differed: [entry.first, pocket] }, agreed: null };
}

/**
 * The pocket for the typed text: the one with exactly that name, or the only one that begins with it.
 * Enter confirms the text, so `0` is not entered while `00` is being typed.
 */
export function typedPocket(typed: string, pockets: readonly string[]): string | null {
	if (typed === "") return null;
	const name = typed.toUpperCase();
	const exact = pockets.find((pocket) => pocket.toUpperCase() === name);
	if (exact !== undefined) return exact;
	const matches = pockets.filter((pocket) => pocket.toUpperCase().startsWith(name));
	return matches.length === 1 ? (matches[0] ?? null) : null;
}

/** The typed text after a key press, or null if the key is not a letter or digit or leads to no pocket. */
export function typedAfter(typed: string, key: string, pockets: readonly string[]): string | null {
	if (key === "Backspace") return typed.slice(0, -1);
	if (key === "Escape" || key === "Delete") return "";
	if (!/^[\p{L}\p{N}]$/u.test(key)) return null;
	const next = (typed + key).toUpperCase();
	return pockets.some((pocket) => pocket.toUpperCase().startsWith(next)) ? next : null;
}
