/** Prepares a past round for display: the time of each step, the status, and the bets and totals of each seat. Pure functions. */
import type { ExplainedBet, GameInfo, RoundStory, Step, Verdict } from "../wire.ts";

/** The time since the first step: "+4.003 s", "+2:05 min"; empty beyond a day. */
export function after(first: Step, step: Step): string {
	const millis = step.at - first.at;
	if (!(millis >= 0) || millis >= 86_400_000) return "";
	if (millis < 60_000) return `+${Math.floor(millis / 1000)}.${String(millis % 1000).padStart(3, "0")} s`;
	const seconds = Math.floor(millis / 1000);
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	const rest = String(seconds % 60).padStart(2, "0");
	return hours ? `+${hours}:${String(minutes).padStart(2, "0")}:${rest} h` : `+${minutes}:${rest} min`;
}

/** The current verdict, or null while the round is in progress. */
export function holds(story: RoundStory): Verdict | null {
	return story.verdicts.at(-1) ?? null;
}

export type RoundStatus = "in_progress" | "settled" | "void" | "corrected" | "reversed";

export function statusOf(story: RoundStory): RoundStatus {
	const verdict = holds(story);
	if (!verdict) return "in_progress";
	if (story.verdicts.length === 1) return verdict.outcome === null ? "void" : "settled";
	return verdict.outcome === null ? "reversed" : "corrected";
}

export interface SeatTold {
	readonly seat: string;
	readonly bets: readonly ExplainedBet[];
	readonly staked: number;
	readonly returned: number;
}

export function bySeat(bets: readonly ExplainedBet[]): SeatTold[] {
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

/** The bets of several seats added up. */
export function together(slips: readonly Record<string, number>[]): Record<string, number> {
	const all: Record<string, number> = {};
	for (const slip of slips)
		for (const [position, cents] of Object.entries(slip)) all[position] = (all[position] ?? 0) + cents;
	return all;
}

/** The layout on which a seat bets: that of its terminal, or else the layout that has its bets. */
export function layoutOf(game: GameInfo, terminal: string | undefined, fits: (layout: string) => boolean): string {
	const known = game.terminals.find((one) => one.id === terminal)?.layout;
	return known ?? game.layouts.find(fits) ?? (game.layouts[0] as string);
}

/** The neighbours of a pocket on the wheel, with the pocket in the middle. */
export function beside(order: readonly string[], pocket: string, each: number): string[] {
	const at = order.indexOf(pocket);
	if (at < 0) return [];
	const width = Math.min(each, Math.floor((order.length - 1) / 2));
	return Array.from(
		{ length: 2 * width + 1 },
		(_, i) => order[(at - width + i + order.length) % order.length] as string,
	);
}
