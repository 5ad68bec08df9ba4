/** Double entry of a result, so that one slip of the finger never becomes a result.
 *
 * A result is entered twice, or once if a reading is already on record. Nothing is sent before two entries agree. Pure functions.
 */

export interface Entry {
	/** The first entry, while the second is awaited. */
	readonly first: string | null;
	/** Two entries that differed. Both are discarded and shown. */
	readonly differed: readonly [string, string] | null;
}

export interface Entered {
	readonly entry: Entry;
	/** The outcome on which two entries agree. */
	readonly agreed: string | null;
}

export const NOTHING_ENTERED: Entry = { first: null, differed: null };

/** `reading` is the outcome already on record, from the wheel or from the console. */
export function entered(entry: Entry, pocket: string, reading: string | null): Entered {
	if (entry.first === null) {
		if (pocket === reading) return { entry: NOTHING_ENTERED, agreed: pocket };
		return { entry: { first: pocket, differed: null }, agreed: null };
	}
	if (pocket === entry.first) return { entry: NOTHING_ENTERED, agreed: pocket };
	return { entry: { first: null, differed: [entry.first, pocket] }, agreed: null };
}

/**
 * The pocket that the typed text means: the one with exactly that name, or the only one that begins with it.
 * Typing is accepted only with Enter, so `0` is never taken while `00` is being typed.
 */
export function typedPocket(typed: string, pockets: readonly string[]): string | null {
	if (typed === "") return null;
	const word = typed.toUpperCase();
	const exact = pockets.find((pocket) => pocket.toUpperCase() === word);
	if (exact !== undefined) return exact;
	const beginning = pockets.filter((pocket) => pocket.toUpperCase().startsWith(word));
	return beginning.length === 1 ? (beginning[0] ?? null) : null;
}

/** The typed text after a key, or null if the key has no meaning or leads to no pocket. */
export function typedOn(typed: string, key: string, pockets: readonly string[]): string | null {
	if (key === "Backspace") return typed.slice(0, -1);
	if (key === "Escape" || key === "Delete") return "";
	if (!/^[\p{L}\p{N}]$/u.test(key)) return null;
	const next = (typed + key).toUpperCase();
	return pockets.some((pocket) => pocket.toUpperCase().startsWith(next)) ? next : null;
}
