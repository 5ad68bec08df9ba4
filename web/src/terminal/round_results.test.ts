/** Tests the results and notices of rounds for a seat. */
import { expect, it } from "vitest";
import type { TerminalData } from "../lib/game_data.ts";
import type { TableSubscription } from "../lib/subscription.svelte.ts";
import { TableStore } from "../lib/table_store.svelte.ts";
import type { OddsInfo, PositionInfo, PublicTable, Restated, TableEvent } from "../wire.ts";
import { RoundResults } from "./round_results.svelte.ts";

const odds = { id: "red", staked: 1, returns: { "1": 2, "2": 0 } } as unknown as OddsInfo;
const data = {
	game: { settlement: { loses: "3.9", loses_to: {} } },
	odds: new Map([["red", odds]]),
	positions: new Map([["red", { row: "4.1 / Red" } as PositionInfo]]),
} as unknown as TerminalData;

/** A seat with 100 on red, and a function that sends it events. */
function seated() {
	const store = new TableStore();
	store.table = { round: 7 } as PublicTable;
	store.own = {
		seat: "4",
		terminal: "x",
		credits: 0,
		bets: { red: 100 },
		staked: 100,
		repeatable: {},
		undoable: true,
	};
	const results = new RoundResults({ store } as unknown as TableSubscription, () => data);
	const send = (event: TableEvent) => {
		const ended = event.event === "round_settled.v1" ? { undoable: false, repeatable: { red: 100 } } : {};
		store.change({ own: { n: store.ownNumber + 1, events: [event], credits: 0, bets: {}, ...ended } });
	};
	return { store, results, send };
}

const settled = (outcome: string, returned: number): TableEvent => ({
	event: "round_settled.v1",
	round: 7,
	outcome,
	staked: 100,
	returned,
	seats: { "4": [100, returned] },
});

it("lists the result and clause of each bet, and keeps them when the public event follows", () => {
	const { store, results, send } = seated();
	send(settled("1", 200));
	expect(results.last).toMatchObject({ how: "settled", staked: 100, returned: 200, bets: { red: 100 } });
	expect(results.last).toMatchObject({ results: [{ position: "red", returned: 200, clause: "4.1 / Red" }] });
	expect(results.wins).toBe(1);
	store.change({
		public: { n: 1, version: 1, events: [{ event: "round_settled.v1", round: 7, outcome: "1" }] },
	});
	expect(results.last).toMatchObject({ staked: 100 });
});

it("shows the returned stake of a void round with its clauses", () => {
	const { results, send } = seated();
	send({ event: "round_voided.v1", round: 7, clauses: ["5.3.2"], returns: "5.9", seats: { "4": 100 } });
	expect(results.last).toEqual({ how: "void", round: 7, clauses: ["5.3.2"], returns: "5.9", givenBack: 100 });
});

it("updates the last round when it is corrected, and reports the change of credits", () => {
	const { results, send } = seated();
	send(settled("2", 0));
	const change: Restated = { seat: "4", was: 0, now: 200, credited: 200, taken: 0, shortfall: 0, owes: 0 };
	send({ event: "round_corrected.v1", round: 7, was: "2", outcome: "1", clause: "5.5", seats: [change] });
	expect(results.last).toMatchObject({ outcome: "1", returned: 200, results: [{ returned: 200 }] });
	expect(results.notices).toMatchObject([{ what: "corrected", round: 7, change }]);
	results.dismiss(results.notices[0] as (typeof results.notices)[number]);
	expect(results.notices).toEqual([]);
});

it("shows a settled round as void after it was reversed", () => {
	const { results, send } = seated();
	send(settled("1", 200));
	send({ event: "round_reversed.v1", round: 7, was: "1", clauses: ["5.4"], seats: [] });
	expect(results.last).toMatchObject({ how: "void", givenBack: 100 });
});
