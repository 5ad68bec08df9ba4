/** Applies changes to the public table, to a seat and to the pit's view. Pure functions. */
import type { OwnChange, OwnSeat, PitChange, PublicChange, PublicTable, Result, TableView } from "../wire.ts";
import { KEPT_RESULTS } from "../wire.ts";

/** Applies a change to the public table. A field that the change omits keeps its value. */
export function applyPublicChange(table: PublicTable, change: PublicChange): PublicTable {
	const { n, events, results, chips, ...fields } = change;
	const now: PublicTable = { ...table, ...fields };
	if (results) now.last_results = mergeResults(table.last_results, results);
	if (chips) {
		const all = { ...table.chips, ...chips };
		now.chips = Object.fromEntries(Object.entries(all).filter(([, bets]) => Object.keys(bets).length > 0));
	}
	return now;
}

/** Puts new results first and replaces corrected ones in place. */
function mergeResults(known: Result[], changed: Result[]): Result[] {
	const unmatched = new Map(changed.map((result) => [result.round, result]));
	const updated = known.map((result) => {
		const other = unmatched.get(result.round);
		unmatched.delete(result.round);
		return other ?? result;
	});
	return [...changed.filter((result) => unmatched.has(result.round)), ...updated].slice(0, KEPT_RESULTS);
}

const NEW_SEAT: OwnSeat = { seat: "", terminal: "", credits: 0, bets: {}, staked: 0, repeatable: {}, undoable: false };

/** Applies a change to a seat. `before` is null for a seat that has just been taken. */
export function applySeatChange(before: OwnSeat | null, change: OwnChange): OwnSeat {
	const { n, events, ticket, ...now } = change;
	let seat: OwnSeat = before ?? NEW_SEAT;
	for (const event of events) {
		if (event.event === "seat_taken.v1") seat = { ...NEW_SEAT, seat: event.seat, terminal: event.terminal };
		if (event.event === "cash_out_requested.v1")
			seat = { ...seat, asked: { by: event.source.by, cents: event.cents, at: 0 } };
	}
	if (seat.asked && seat.asked.cents !== now.credits) seat = { ...seat, asked: null };
	return { ...seat, ...now, staked: Object.values(now.bets).reduce((sum, cents) => sum + cents, 0) };
}

/** Applies a change to the fields that only staff see. The other fields come with the public table. */
export function applyPitChange(pit: TableView, change: PitChange): TableView {
	const { n, version, events, awaiting, alert, seats, accounts, ...now } = change;
	return { ...pit, ...now, seats: { ...pit.seats, ...seats }, accounts: { ...pit.accounts, ...accounts } };
}
