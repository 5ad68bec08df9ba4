/** Calculates what each outcome would cost the house, from the stakes and the exact odds. Amounts are whole cents. */
import type { Returns } from "../lib/game_data.ts";
import type { GameInfo, SeatView } from "../wire.ts";

/** The financial effect of one outcome. */
export interface OutcomeRow {
	readonly outcome: string;
	/** The amount paid to the seats, including stakes. */
	readonly returned: number;
	/** The profit of the house. Negative for a loss. */
	readonly house: number;
}

export function totalStaked(seats: Record<string, SeatView>): number {
	return Object.values(seats).reduce((sum, seat) => sum + seat.staked, 0);
}

/** The layout of a terminal. */
function layoutOf(sheet: Pick<GameInfo, "terminals" | "layouts">, terminal: string): string {
	return sheet.terminals.find((one) => one.id === terminal)?.layout ?? sheet.layouts[0] ?? "";
}

/** The sum of all seats' bets on one layout: position → cents. */
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

/** The rows for all outcomes, in the order of `wheel.pockets`. */
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

/** The outcome with the lowest profit for the house, or null without stakes. The profit may be positive. */
export function worstOf(rows: readonly OutcomeRow[], staked: number): OutcomeRow | null {
	return staked > 0 ? (worstFirst(rows)[0] ?? null) : null;
}

/** Sorts the rows by the profit of the house, lowest first. Equal rows keep their order. */
export function worstFirst(rows: readonly OutcomeRow[]): OutcomeRow[] {
	return [...rows].sort((one, other) => one.house - other.house);
}
