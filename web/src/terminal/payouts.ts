/** The result of each bet in a round, calculated from the returns that the server publishes. */
import type { OddsInfo, PositionInfo } from "../wire.ts";
import type { Bets } from "./pending.ts";

export interface BetResult {
	readonly position: string;
	readonly staked: number;
	readonly returned: number;
	/** The row of the pay table, or the clause by which the bet lost. */
	readonly clause: string;
}

export type Returns = ReadonlyMap<string, OddsInfo>;

/**
 * The results of the bets, winners first. Null if their sum differs from the total that the server returned:
 * then only the total is shown.
 */
export function resultsOf(
	bets: Bets,
	outcome: string,
	returned: number,
	odds: Returns,
	positions: ReadonlyMap<string, PositionInfo>,
	losingClause: (outcome: string) => string,
): BetResult[] | null {
	const results: BetResult[] = [];
	for (const [position, staked] of Object.entries(bets)) {
		const found = odds.get(position);
		const perPiece = found?.returns[outcome];
		if (found === undefined || perPiece === undefined || (staked * perPiece) % found.staked !== 0) return null;
		const back = (staked * perPiece) / found.staked;
		const clause = back > 0 ? (positions.get(position)?.row ?? "") : losingClause(outcome);
		results.push({ position, staked, returned: back, clause });
	}
	if (results.reduce((sum, one) => sum + one.returned, 0) !== returned) return null;
	return results.sort((a, b) => b.returned - a.returned || b.staked - a.staked);
}
