/** Prepares a past round for display: the times of its steps, its status, and the bets of each seat. */
import type { ExplainedBet, GameInfo, RoundStory, Step, Verdict } from "../wire.ts";

/** The time since the first step: "+4.003 s", "+2:05 min". Empty for a day or more. */
export function timeSince(first: Step, step: Step): string {
	const millis = step.at - first.at;
	if (!(millis >= 0) || millis >= 86_400_000) return "";
	if (millis < 60_000) return `+${Math.floor(millis / 1000)}.${String(millis % 1000).padStart(3, "0")} s`;
	const seconds = Math.floor(millis / 1000);
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	const rest = String(seconds % 60).padStart(2, "0");
	return hours ? `+${hours}:${String(minutes).padStart(2, "0")}:${rest} h` : `+${minutes}:${rest} min`;
}

/** The current verdict, or null while the round is in progress. */
export function currentVerdict(story: RoundStory): Verdict | null {
	return story.verdicts.at(-1) ?? null;
}

export type RoundStatus = "in_progress" | "settled" | "void" | "corrected" | "reversed";

export function statusOf(story: RoundStory): RoundStatus {
	const verdict = currentVerdict(story);
	if (!verdict) return "in_progress";
	if (story.verdicts.length === 1) return verdict.outcome === null ? "void" : "settled";
	return verdict.outcome === null ? "reversed" : "corrected";
}

/** The bets of one seat with their sums in cents. */
export interface SeatBets {
	readonly seat: string;
	readonly bets: readonly ExplainedBet[];
	readonly staked: number;
	readonly returned: number;
}

export function bySeat(bets: readonly ExplainedBet[]): SeatBets[] {
	const seats = new Map<string, ExplainedBet[]>();
	for (const bet of bets) {
		const known = seats.get(bet.seat);
		if (known) known.push(bet);
		else seats.set(bet.seat, [bet]);
	}
	return [...seats].map(([seat, own]) => ({
		seat,
		bets: own,
		staked: own.reduce((sum, bet) => sum + bet.staked, 0),
		returned: own.reduce((sum, bet) => sum + bet.returned, 0),
	}));
}

/** Adds up the bets of several seats, by position. */
export function sumBets(seats: readonly Record<string, number>[]): Record<string, number> {
	const all: Record<string, number> = {};
	for (const bets of seats)
		for (const [position, cents] of Object.entries(bets)) all[position] = (all[position] ?? 0) + cents;
	return all;
}

/** The layout of a seat: that of its terminal, or else the first layout that has all its bets. */
export function layoutOf(game: GameInfo, terminal: string | undefined, fits: (layout: string) => boolean): string {
	const known = game.terminals.find((one) => one.id === terminal)?.layout;
	return known ?? game.layouts.find(fits) ?? (game.layouts[0] as string);
}

/** A pocket with `count` neighbours on each side, in wheel order. Empty for an unknown pocket. */
export function neighboursOf(order: readonly string[], pocket: string, count: number): string[] {
	const at = order.indexOf(pocket);
	if (at < 0) return [];
	const width = Math.min(count, Math.floor((order.length - 1) / 2));
	return Array.from(
		{ length: 2 * width + 1 },
		(_, i) => order[(at - width + i + order.length) % order.length] as string,
	);
}
