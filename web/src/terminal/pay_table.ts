/** The pay table: bets grouped by equal payout and equal odds. */
import type { OddsInfo, PositionInfo } from "../wire.ts";

export interface PayTableRow {
	/** One of the bets, for the name of the group. */
	readonly sample: PositionInfo;
	readonly count: number;
	readonly pays: number;
	readonly odds: OddsInfo;
}

export function payTableOf(positions: readonly PositionInfo[], odds: ReadonlyMap<string, OddsInfo>): PayTableRow[] {
	const groups = new Map<string, PayTableRow>();
	for (const position of positions) {
		const found = odds.get(position.id);
		if (found === undefined) continue;
		const key = [position.type, position.row, position.pays, found.win, found.edge].join("|");
		const known = groups.get(key);
		groups.set(key, {
			sample: known?.sample ?? position,
			count: (known?.count ?? 0) + 1,
			pays: position.pays,
			odds: found,
		});
	}
	return [...groups.values()];
}
