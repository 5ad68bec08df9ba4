/** Calculates what each outcome would cost the house: the stakes times the exact published returns, in whole cents. */
import type { Returns } from "../lib/game_data.ts";
import type { GameInfo, SeatView } from "../wire.ts";

export interface OutcomeRow {
	readonly outcome: string;
	/** What goes back to the seats, stakes included. */
	readonly returned: number;
	/** What the house has of it: less than nothing where it loses. */
	readonly house: number;
}

export function totalStaked(seats: Record<string, SeatView>): number {
	return Object.values(seats).reduce((sum, seat) => sum + seat.staked, 0);
}

/** On which layout a seat bets: its terminal says so. */
function layoutOf(sheet: Pick<GameInfo, "terminals" | "layouts">, terminal: string): string {
	return sheet.terminals.find((one) => one.id === terminal)?.layout ?? sheet.layouts[0] ?? "";
}

/** All bets of the seats on one layout together. */
export function betsOn(
	sheet: Pick<GameInfo, "terminals" | "layouts">,
	seats: Record<string, SeatView>,
	layout: string,
): Record<string, number> {
	const all: Record<string, number> = {};
	for (const seat of Object.values(seats)) {
		if (layoutOf(sheet, seat.terminal) !== layout) continue;
		for (const [position, cents] of Object.entries(seat.bets)) all[position] = (all[position] ?? 0) + cents;
	}
	return all;
}

/** Every outcome, in the wheel's order of pockets. */
export function exposure(
	sheet: Pick<GameInfo, "terminals" | "layouts" | "wheel">,
	returns: Returns,
	seats: Record<string, SeatView>,
): OutcomeRow[] {
	const staked = totalStaked(seats);
	const due = new Map(sheet.wheel.pockets.map((pocket) => [pocket, 0]));
	for (const layout of sheet.layouts) {
		for (const [position, cents] of Object.entries(betsOn(sheet, seats, layout))) {
			const odds = returns.get(layout)?.get(position);
			for (const [pocket, pieces] of Object.entries(odds?.returns ?? {})) {
				due.set(pocket, (due.get(pocket) ?? 0) + (cents * pieces) / (odds?.staked ?? 1));
			}
		}
	}
	return [...due].map(([outcome, returned]) => ({ outcome, returned, house: staked - returned }));
}

/** What costs the house most; nothing while nothing is staked. It may win by it all the same. */
export function worstOf(lines: readonly OutcomeRow[], staked: number): OutcomeRow | null {
	return staked > 0 ? (worstFirst(lines)[0] ?? null) : null;
}

/** Those that cost the house most first; among equals the wheel's order stays. */
export function worstFirst(lines: readonly OutcomeRow[]): OutcomeRow[] {
	return [...lines].sort((one, other) => one.house - other.house);
}
