/** Tests of applying changes to the table, a seat and the pit's view. */
import { expect, test } from "vitest";
import type { OwnChange, OwnSeat, PitChange, PublicChange, PublicTable, TableView } from "../wire.ts";
import { KEPT_RESULTS } from "../wire.ts";
import { applyPitChange, applyPublicChange, applySeatChange } from "./reducer.ts";

const TABLE: PublicTable = {
	id: "t",
	game: "g",
	rulebook: "h",
	facts: { name: "", currency: "XXX", chips: [100], seats: [], betting_seconds: 20 },
	version: 5,
	phase: "bets_open",
	round: 3,
	phrase: "Place your bets",
	outcome: null,
	readings_disagree: false,
	limits: {},
	next_limits: null,
	last_results: [
		{ round: 2, outcome: "17" },
		{ round: 1, outcome: "0" },
	],
	last_rounds: null,
	mode: "automatic",
	mode_reason: "",
	deadline: 1000,
	wheel: null,
	chips: { a: { red: 100 }, b: { black: 200 } },
	cash_chips: [],
	colours: {},
};
const SEAT: OwnSeat = {
	seat: "1",
	terminal: "x",
	credits: 900,
	bets: { red: 100 },
	staked: 100,
	repeatable: {},
	undoable: true,
};

function applied(change: Partial<PublicChange>): PublicTable {
	return applyPublicChange(TABLE, { n: 1, version: 6, events: [], ...change });
}

test("an omitted field keeps its value, and null is a value", () => {
	const now = applied({ phase: "bets_closed", phrase: "No More Bets", deadline: null });
	expect(now).toEqual({ ...TABLE, version: 6, phase: "bets_closed", phrase: "No More Bets", deadline: null });
});

test("new results come first; a corrected result keeps its place", () => {
	expect(applied({ results: [{ round: 3, outcome: "S" }] }).last_results.map((one) => one.round)).toEqual([3, 2, 1]);
	expect(applied({ results: [{ round: 1, outcome: null }] }).last_results).toEqual([
		{ round: 2, outcome: "17" },
		{ round: 1, outcome: null },
	]);
});

test("chips change by seat, and a seat without chips is removed", () => {
	expect(applied({ chips: { a: {}, c: { red: 5 } } }).chips).toEqual({ b: { black: 200 }, c: { red: 5 } });
});

test("a seat takes its credits and bets from the change", () => {
	const change: OwnChange = { n: 1, events: [], credits: 700, bets: { red: 100, odd: 200 } };
	expect(applySeatChange(SEAT, change)).toMatchObject({
		seat: "1",
		credits: 700,
		staked: 300,
		bets: { red: 100, odd: 200 },
	});
});

test("the bets of a settled round can be repeated", () => {
	const settled: OwnChange = {
		n: 1,
		events: [
			{ event: "round_settled.v1", round: 3, outcome: "1", staked: 100, returned: 200, seats: { "1": [100, 200] } },
		],
		credits: 1100,
		bets: {},
		undoable: false,
		repeatable: { red: 100 },
	};
	expect(applySeatChange(SEAT, settled)).toMatchObject({
		repeatable: { red: 100 },
		undoable: false,
		staked: 0,
		credits: 1100,
	});
});

test("the bets of a void round can be repeated too", () => {
	const voided: OwnChange = {
		n: 1,
		events: [{ event: "round_voided.v1", round: 3, clauses: ["5.3.2"], returns: "5.9", seats: { "1": 100 } }],
		credits: 1000,
		bets: {},
		undoable: false,
		repeatable: { red: 100 },
	};
	expect(applySeatChange(SEAT, voided)).toMatchObject({ repeatable: { red: 100 }, undoable: false, staked: 0 });
});

test("the pit's view updates the changed seats and keeps the others", () => {
	const pit = {
		seats: { "1": { terminal: "x", credits: 5, bets: {}, staked: 0, meters: {} } },
		accounts: {},
	} as unknown as TableView;
	const seat = { terminal: "x", credits: 7, bets: { red: 3 }, staked: 3, meters: { handle: 9 } };
	const now = applyPitChange(pit, { n: 1, version: 1, events: [], seats: { "2": seat } });
	expect(now.seats["1"]).toBe(pit.seats["1"]);
	expect(now.seats["2"]).toEqual(seat);
});

test("the pit's view takes matters, meters and balances from the change, and keeps omitted fields", () => {
	const accounts = { "seat:1": 5, house: 0 };
	const pit = { seats: {}, accounts, matters: { 3: "two balls?" }, meters: { rounds: 1 } } as unknown as TableView;
	const change = (changed: Partial<PitChange>): PitChange => ({ n: 1, version: 1, events: [], ...changed });
	const referred = applyPitChange(pit, change({ matters: { 3: "two balls?", 4: "a child?" }, accounts: { house: 7 } }));
	expect(referred.matters).toEqual({ 3: "two balls?", 4: "a child?" });
	expect(referred.accounts).toEqual({ "seat:1": 5, house: 7 });
	expect(applyPitChange(referred, change({ matters: {} })).matters).toEqual({});
	expect(applyPitChange(referred, change({ meters: { rounds: 2 }, interrupted: true }))).toMatchObject({
		matters: referred.matters,
		meters: { rounds: 2 },
		interrupted: true,
	});
	expect(pit.matters).toEqual({ 3: "two balls?" });
});

test("the list of results is as long as on the server", () => {
	const last_results = Array.from({ length: KEPT_RESULTS }, (_, n) => ({ round: KEPT_RESULTS - n, outcome: "1" }));
	const results = [{ round: KEPT_RESULTS + 1, outcome: "2" }];
	const now = applyPublicChange({ ...TABLE, last_results }, { n: 1, version: 6, events: [], results });
	expect(now.last_results).toHaveLength(KEPT_RESULTS);
	expect(now.last_results[0]).toEqual(results[0]);
});
