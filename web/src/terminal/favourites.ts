/** Slips that a Player has saved, by game and layout. A bet that this layout does not have is never placed. */
import type { Bets } from "./pending.ts";

export interface Favourite {
	readonly name: string;
	readonly bets: Bets;
}

const MOST = 12;
const LONGEST_NAME = 24;

/** A name that is taken is given to the new slip; the oldest goes when there are too many. */
export function saved(all: readonly Favourite[], name: string, bets: Bets): Favourite[] {
	const called = name.trim().slice(0, LONGEST_NAME) || freeNumber(all);
	return [...all.filter((one) => one.name !== called), { name: called, bets }].slice(-MOST);
}

/** Who gives no name loses no slip that he has. */
function freeNumber(all: readonly Favourite[]): string {
	let number = all.length + 1;
	while (all.some((one) => one.name === String(number))) number += 1;
	return String(number);
}

export function without(all: readonly Favourite[], name: string): Favourite[] {
	return all.filter((one) => one.name !== name);
}

/** The bets of it that this layout has, and how many it has not. */
export function onLayout(
	favourite: Favourite,
	positions: { has(id: string): boolean },
): { bets: Bets; missing: number } {
	const entries = Object.entries(favourite.bets);
	const bets = Object.fromEntries(entries.filter(([position]) => positions.has(position)));
	return { bets, missing: entries.length - Object.keys(bets).length };
}
