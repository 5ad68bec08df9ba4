/** Where at the desk one is, as the address says it: `#reports`, `#table/roulette-1`. Pure. */

export const PAGES = ["tables", "waiting", "alerts", "reports", "wheels", "staff", "terminals", "house"] as const;
export type Page = (typeof PAGES)[number];

export interface At {
	readonly page: Page;
	readonly table: string | null;
}

export function atOf(hash: string): At {
	const [first = "", ...rest] = hash.replace(/^#/, "").split("/");
	if (first === "table" && rest.length > 0) return { page: "tables", table: decoded(rest.join("/")) };
	return { page: PAGES.find((page) => page === first) ?? "tables", table: null };
}

/** What somebody typed may be no encoding at all. */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

export const tableAddress = (id: string): string => `#table/${encodeURIComponent(id)}`;

/** "(3) Pit desk": what waits is seen on the tab of a browser too. */
export function titleOf(waiting: number, words: string): string {
	return waiting > 0 ? `(${waiting}) ${words}` : words;
}
