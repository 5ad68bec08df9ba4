/** What this browser remembers between visits. A browser that remembers nothing still plays. */

export function kept<T>(key: string, otherwise: T): T {
	try {
		const text = localStorage.getItem(`roundhouse.${key}`);
		return text === null ? otherwise : (JSON.parse(text) as T);
	} catch {
		return otherwise;
	}
}

export function keep(key: string, value: unknown): void {
	try {
		if (value === null || value === undefined) localStorage.removeItem(`roundhouse.${key}`);
		else localStorage.setItem(`roundhouse.${key}`, JSON.stringify(value));
	} catch {
		// A full or forbidden store: it lasts as long as the page.
	}
}

/** Calls back when another page of this browser has changed it; ends when the function that it gives is called. */
export function onKept(key: string, changed: () => void): () => void {
	const heard = (event: StorageEvent) => {
		if (event.key === `roundhouse.${key}`) changed();
	};
	window.addEventListener("storage", heard);
	return () => window.removeEventListener("storage", heard);
}
