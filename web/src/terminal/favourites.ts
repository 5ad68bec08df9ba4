/** Bets that a Player has saved, by game and layout. */
import type { Bets } from "./pending.ts";

export interface Favourite {
	readonly name: string;
	readonly bets: Bets;
}

const MAX_FAVOURITES = 12;
const MAX_NAME_LENGTH = 24;

/** Adds a favourite. It replaces one with the same name, and removes the oldest if there are too many. */
export function saved(all: readonly Favourite[], name: string, bets: Bets): Favourite[] {
	const finalName = name.trim().slice(0, MAX_NAME_LENGTH) || freeNumber(all);
	return [...all.filter((one) => one.name !== finalName), { name: finalName, bets }].slice(-MAX_FAVOURITES);
}

/** The first number that is not yet a name, for a favourite without a name. */
function freeNumber(all: readonly Favourite[]): string {
	let number = all.length + 1;
	while (all.some((one) => one.name === String(number))) number += 1;
	return String(number);
}

export function without(all: readonly Favourite[], name: string): Favourite[] {
	return all.filter((one) => one.name !== name);
}

/** The bets of a favourite that this layout offers, and the number of bets that it does not. */
export function onLayout(
	favourite: Favourite,
	positions: { has(id: string): boolean },
): { bets: Bets; missing: number } {
	const entries = Object.entries(favourite.bets);
	const bets = Object.fromEntries(entries.filter(([position]) => positions.has(position)));
	return { bets, missing: entries.length - Object.keys(bets).length };
}
