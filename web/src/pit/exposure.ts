/** What the house stands to pay for each outcome: stakes times what the odds of the rulebook return. Pure arithmetic on what the house sent. */
import type { GameSheet, OddsSheet, ShownSeat } from "../wire.ts";

/** Position → outcome → how many times its stake comes back. */
export type Returns = ReadonlyMap<string, Readonly<Record<string, number>>>;

export function returnsOf(odds: readonly OddsSheet[]): Returns {
	return new Map(odds.map((one) => [one.id, one.returns]));
}

export interface Exposure {
	readonly staked: number;
	/** Outcome → what goes back to the seats, in the wheel's order of pockets. */
	readonly returned: ReadonlyMap<string, number>;
	/** The outcome that costs the house most, and what it loses by it; below nothing where it wins all the same. */
	readonly worst: { readonly pocket: string; readonly loss: number } | null;
}

export function exposureOf(
	seats: readonly ShownSeat[],
	game: GameSheet,
	returns: ReadonlyMap<string, Returns>,
): Exposure {
	const returned = new Map(game.wheel.pockets.map((pocket) => [pocket, 0]));
	const layouts = new Map(game.terminals.map((terminal) => [terminal.id, terminal.layout]));
	let staked = 0;
	for (const seat of seats) {
		const prices = returns.get(layouts.get(seat.terminal) ?? "");
		for (const [position, cents] of Object.entries(seat.bets)) {
			staked += cents;
			for (const [pocket, times] of Object.entries(prices?.get(position) ?? {})) {
				if (times) returned.set(pocket, (returned.get(pocket) ?? 0) + times * cents);
			}
		}
	}
	let worst: { pocket: string; loss: number } | null = null;
	if (staked > 0) {
		for (const [pocket, back] of returned) {
			if (worst === null || back - staked > worst.loss) worst = { pocket, loss: back - staked };
		}
	}
	return { staked, returned, worst };
}
