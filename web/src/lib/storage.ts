/** Stores values in the browser's local storage. The screens also work in a browser that stores nothing. */

/** The stored value, or `otherwise` if there is none. */

export function kept<T>(key: string, otherwise: T): T {
	try {
		const text = localStorage.getItem(`roundhouse.${key}`);
		return text === null ? otherwise : (JSON.parse(text) as T);
	} catch {
		return otherwise;
	}
}

/** Stores the value, or removes it if it is null. */
export function keep(key: string, value: unknown): void {
	try {
		if (value === null || value === undefined) localStorage.removeItem(`roundhouse.${key}`);
		else localStorage.setItem(`roundhouse.${key}`, JSON.stringify(value));
	} catch {
		// Storage is full or forbidden: the value lasts as long as the page.
	}
}

/** Calls back when another page of this browser changes the value. Returns a function that unsubscribes. */
export function onKept(key: string, changed: () => void): () => void {
	const listener = (event: StorageEvent) => {
		if (event.key === `roundhouse.${key}`) changed();
	};
	window.addEventListener("storage", listener);
	return () => window.removeEventListener("storage", listener);
}
