/** Applies changes to the public table, to a seat and to the pit's view. Pure: the same messages give the same table. */
import type { OwnChange, OwnSeat, PitChange, PublicChange, PublicTable, Result, SeatView, TableView } from "../wire.ts";

const LAST_RESULTS = 100;

/** A field that the change leaves out keeps its value. */
export function applyPublicChange(table: PublicTable, change: PublicChange): PublicTable {
	const { n, events, results, chips, ...facets } = change;
	const now: PublicTable = { ...table, ...facets };
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
	const kept = known.map((result) => {
		const other = unmatched.get(result.round);
		unmatched.delete(result.round);
		return other ?? result;
	});
	return [...changed.filter((result) => unmatched.has(result.round)), ...kept].slice(0, LAST_RESULTS);
}

/** `before` is the seat's known state, or null for a seat that has just been taken. */
export function applySeatChange(before: OwnSeat | null, change: OwnChange): OwnSeat {
	let seat: OwnSeat = before ?? {
		seat: "",
		terminal: "",
		credits: 0,
		bets: {},
		staked: 0,
		repeatable: {},
		undoable: false,
	};
	for (const event of change.events) {
		switch (event.event) {
			case "seat_taken.v1":
				seat = { ...seat, seat: event.seat, terminal: event.terminal };
				break;
			case "bets_placed.v1":
			case "bets_withdrawn.v1":
				seat = { ...seat, undoable: event.event === "bets_placed.v1" || event.how !== "undone" || seat.undoable };
				break;
			case "round_settled.v1":
			case "round_voided.v1":
				// The bets of the round that ended can be repeated, even if the round is void.
				seat = { ...seat, repeatable: seat.bets, undoable: false };
				break;
			default:
				break;
		}
	}
	const staked = Object.values(change.bets).reduce((sum, cents) => sum + cents, 0);
	return { ...seat, credits: change.credits, bets: change.bets, staked };
}

/** Updates the changed seats and the referred matters. The other fields come with the public table or a new snapshot. */
export function applyPitChange(pit: TableView, change: PitChange): TableView {
	const seats: Record<string, SeatView> = { ...pit.seats };
	const matters = { ...pit.matters };
	for (const event of change.events) {
		if (event.event === "seat_taken.v1") {
			seats[event.seat] = { terminal: event.terminal, credits: 0, bets: {}, staked: 0, meters: {} };
		} else if (event.event === "matter_referred.v1") matters[event.round] = event.question;
		else if (event.event === "decision_made.v1") delete matters[event.round];
	}
	for (const [id, money] of Object.entries(change.seats ?? {})) {
		const staked = Object.values(money.bets).reduce((sum, cents) => sum + cents, 0);
		const before = seats[id] ?? { terminal: "", meters: {} };
		seats[id] = { ...before, credits: money.credits, bets: money.bets, staked };
	}
	return { ...pit, seats, matters };
}
