/** The pages of the pit desk and their addresses, such as `#reports`, `#rounds?seat=a` and `#table/roulette-1`. */

export const PAGES = [
	"tables",
	"waiting",
	"alerts",
	"disputes",
	"reports",
	"rounds",
	"wheels",
	"staff",
	"terminals",
	"house",
] as const;
export type Page = (typeof PAGES)[number];

/** The page that is shown, and the table on it or null. */
export interface PageAddress {
	readonly page: Page;
	readonly table: string | null;
	/** The filters of the page: the part of the address after "?". */
	readonly query: string;
}

export function parseHash(hash: string): PageAddress {
	const [path = "", ...queries] = hash.replace(/^#/, "").split("?");
	const query = queries.join("?");
	const [first = "", ...rest] = path.split("/");
	if (first === "table" && rest.length > 0) return { page: "tables", table: decoded(rest.join("/")), query };
	return { page: PAGES.find((page) => page === first) ?? "tables", table: null, query };
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
