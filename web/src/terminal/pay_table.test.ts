/** Tests the grouping of bets in the pay table. */
import { expect, it } from "vitest";
import type { OddsInfo, PositionInfo } from "../wire.ts";
import { payTableOf } from "./pay_table.ts";

const position = (id: string, type: string) => ({ id, type, row: type, pays: 35 }) as PositionInfo;
const odds = (id: string, edge: string): [string, OddsInfo] => [id, { id, win: "1/38", edge } as OddsInfo];

it("lists bets with equal payout and odds once, and others separately", () => {
	const positions = [
		position("straight:1", "straight"),
		position("straight:2", "straight"),
		position("top_line", "top_line"),
	];
	const all = new Map([odds("straight:1", "1/19"), odds("straight:2", "1/19"), odds("top_line", "3/38")]);
	expect(payTableOf(positions, all).map(({ sample, count }) => [sample.id, count])).toEqual([
		["straight:1", 2],
		["top_line", 1],
	]);
});
