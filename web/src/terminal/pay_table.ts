/** Groups bets that have the same price and the same odds. */
import type { OddsInfo, PositionInfo } from "../wire.ts";

export interface Priced {
	/** One of the bets, for the name of the group. */
	readonly sample: PositionInfo;
	readonly count: number;
	readonly pays: number;
	readonly odds: OddsInfo;
}

export function pricesOf(positions: readonly PositionInfo[], odds: ReadonlyMap<string, OddsInfo>): Priced[] {
	const groups = new Map<string, Priced>();
	for (const position of positions) {
		const of = odds.get(position.id);
		if (of === undefined) continue;
		const key = [position.type, position.row, position.pays, of.win, of.edge].join("|");
		const known = groups.get(key);
		groups.set(key, {
			sample: known?.sample ?? position,
			count: (known?.count ?? 0) + 1,
			pays: position.pays,
			odds: of,
		});
	}
	return [...groups.values()];
}
