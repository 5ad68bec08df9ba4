/** Stores values in the browser's local storage. Without storage, the values last as long as the page. */

/** Returns the stored value, or `otherwise` if there is none. */
export function readStored<T>(key: string, otherwise: T): T {
	try {
		const text = localStorage.getItem(`roundhouse.${key}`);
		return text === null ? otherwise : (JSON.parse(text) as T);
	} catch {
		return otherwise;
	}
}

/** Stores the value, or removes it if it is null. */
export function writeStored(key: string, value: unknown): void {
	try {
		if (value === null || value === undefined) localStorage.removeItem(`roundhouse.${key}`);
		else localStorage.setItem(`roundhouse.${key}`, JSON.stringify(value));
	} catch {
		// Storage is full or forbidden: the value lasts as long as the page.
	}
}

/** Calls back when another page of this browser changes the value. Returns a function that unsubscribes. */
export function onStoredChange(key: string, changed: () => void): () => void {
	const listener = (event: StorageEvent) => {
		if (event.key === `roundhouse.${key}`) changed();
	};
	window.addEventListener("storage", listener);
	return () => window.removeEventListener("storage", listener);
}
