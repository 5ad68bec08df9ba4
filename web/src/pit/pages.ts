/** The pages of the pit desk and their addresses, such as `#reports` and `#table/roulette-1`. */

export const PAGES = ["tables", "waiting", "alerts", "reports", "wheels", "staff", "terminals", "house"] as const;
export type Page = (typeof PAGES)[number];

/** The page that is shown, and the table on it or null. */
export interface PageAddress {
	readonly page: Page;
	readonly table: string | null;
}

export function parseHash(hash: string): PageAddress {
	const [first = "", ...rest] = hash.replace(/^#/, "").split("/");
	if (first === "table" && rest.length > 0) return { page: "tables", table: decoded(rest.join("/")) };
	return { page: PAGES.find((page) => page === first) ?? "tables", table: null };
}

/** Decodes a part of the address. A malformed part, which a person may have typed, is returned as it is. */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

export const tableAddress = (id: string): string => `#table/${encodeURIComponent(id)}`;

/** The title of the page, with the number of waiting alerts and requests: "(3) Pit desk". */
export function titleOf(waiting: number, title: string): string {
	return waiting > 0 ? `(${waiting}) ${title}` : title;
}
