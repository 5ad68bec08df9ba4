/** How a table stands, in the few kinds that whoever looks from outside tells apart. Pure: the words for them are elsewhere. */
import type { PublicTable } from "../wire.ts";

export type Situation =
	| "idle"
	| "bets_open"
	| "closing"
	| "bets_closed"
	| "result"
	| "void"
	| "referred"
	| "stopped"
	| "closed";

/** From here on the time that is left is shown as urgent. */
export const URGENT_MILLIS = 5_000;

/** `left` is the time until bets close, where that is known. */
export function situation(table: PublicTable, left: number | null): Situation {
	switch (table.phase) {
		case "closed":
		case "stopped":
		case "referred":
			return table.phase;
		case "bets_open":
		case "spinning_bets_open":
			return left !== null && left <= URGENT_MILLIS ? "closing" : "bets_open";
		case "bets_closed":
		case "spinning":
			return "bets_closed";
		case "at_rest":
		case "registered":
			return table.outcome === null ? "bets_closed" : "result";
		case "idle":
			if (table.outcome !== null) return "result";
			return isVoid(table) ? "void" : "idle";
	}
}

/** The round that has just ended came to nothing. */
function isVoid(table: PublicTable): boolean {
	const [last] = table.last_results;
	return last !== undefined && last.round === table.round && last.outcome === null;
}

/** The result that counts now, or else the last one that there was; what is void has none. */
export function lastOutcome(table: PublicTable): string | null {
	return table.outcome ?? table.last_results.find((result) => result.outcome !== null)?.outcome ?? null;
}
