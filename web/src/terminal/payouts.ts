/** The result of each bet of a round, from the server's published returns. */
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
 * The bets, winners first, or null if their sum differs from the total that the server returned.
 * In that case only the total is shown.
 */
export function resultsOf(
	stood: Bets,
	outcome: string,
	returned: number,
	odds: Returns,
	positions: ReadonlyMap<string, PositionInfo>,
	loses: (outcome: string) => string,
): BetResult[] | null {
	const results: BetResult[] = [];
	for (const [position, staked] of Object.entries(stood)) {
		const of = odds.get(position);
		const perPiece = of?.returns[outcome];
		if (of === undefined || perPiece === undefined || (staked * perPiece) % of.staked !== 0) return null;
		const back = (staked * perPiece) / of.staked;
		const clause = back > 0 ? (positions.get(position)?.row ?? "") : loses(outcome);
		results.push({ position, staked, returned: back, clause });
	}
	if (results.reduce((sum, one) => sum + one.returned, 0) !== returned) return null;
	return results.sort((a, b) => b.returned - a.returned || b.staked - a.staked);
}
