/** A table as it stands, moved on by what is told of it. Pure: the same messages give the same table. */
import type { OwnChange, OwnSeat, PitChange, PublicChange, PublicTable, Result, SeatView, TableView } from "../wire.ts";

const LAST_RESULTS = 100;

/** What is left out of a change has not changed. */
export function moved(table: PublicTable, change: PublicChange): PublicTable {
	const { n, events, results, chips, ...facets } = change;
	const now: PublicTable = { ...table, ...facets };
	if (results) now.last_results = retold(table.last_results, results);
	if (chips) {
		const all = { ...table.chips, ...chips };
		now.chips = Object.fromEntries(Object.entries(all).filter(([, bets]) => Object.keys(bets).length > 0));
	}
	return now;
}

/** New results first; those that are told again have another outcome now. */
function retold(known: Result[], told: Result[]): Result[] {
	const again = new Map(told.map((result) => [result.round, result]));
	const kept = known.map((result) => {
		const other = again.get(result.round);
		again.delete(result.round);
		return other ?? result;
	});
	return [...told.filter((result) => again.has(result.round)), ...kept].slice(0, LAST_RESULTS);
}

/** `before` is what the seat was known to have; a seat that was just taken was not known. */
export function movedSeat(before: OwnSeat | null, change: OwnChange): OwnSeat {
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
				// What stood in the round that ended can be repeated in the next one, even if it came to nothing.
				seat = { ...seat, repeatable: seat.bets, undoable: false };
				break;
			default:
				break;
		}
	}
	const staked = Object.values(change.bets).reduce((sum, cents) => sum + cents, 0);
	return { ...seat, credits: change.credits, bets: change.bets, staked };
}

/** The staff's view: the seats that changed, and what waits for a decision. Everything else of it is in the public table, or asked for anew. */
export function movedPit(pit: TableView, change: PitChange): TableView {
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
