/** A public table with open bets, for tests. */
import type { PublicTable } from "../wire.ts";

export const TABLE: PublicTable = {
	id: "t",
	game: "g",
	rulebook: "h",
	facts: { name: "House", currency: "XXX", chips: [100], seats: [], betting_seconds: 20 },
	version: 1,
	phase: "bets_open",
	round: 12,
	phrase: "Place your bets",
	outcome: null,
	readings_disagree: false,
	limits: {},
	next_limits: null,
	last_results: [
		{ round: 11, outcome: null },
		{ round: 10, outcome: "17" },
	],
	last_rounds: null,
	mode: "automatic",
	mode_reason: "",
	deadline: null,
	wheel: null,
	chips: null,
	cash_chips: [],
	colours: {},
};
