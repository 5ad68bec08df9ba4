/** Tests of the state of a table: changes, gaps and notices. */
import { expect, it } from "vitest";
import { TABLE } from "../testing/sample_table.ts";
import { type TableNotice, TableStore } from "./table_store.svelte.ts";

function storeAt(number = 1): TableStore {
	const store = new TableStore();
	const own = { seat: "1", terminal: "k", credits: 1000, bets: {}, staked: 0, repeatable: {}, undoable: false };
	store.applySnapshot({ snapshot: { table: TABLE, own }, epoch: "e", public: number, own: number });
	return store;
}

it("applies the next change and reports its events in order", () => {
	const store = storeAt();
	const notices: TableNotice[] = [];
	store.onNotice((notice) => notices.push(notice));
	const isComplete = store.change({
		public: { n: 2, version: 2, phase: "bets_closed", events: [{ event: "spin_started.v1", round: 12 }] },
		own: { n: 2, events: [{ event: "spin_started.v1", round: 12 }], credits: 900, bets: { red: 100 } },
	});
	expect(isComplete).toBe(true);
	expect([store.table?.phase, store.own?.credits]).toEqual(["bets_closed", 900]);
	expect(notices.map(({ to }) => to)).toEqual(["all", "seat"]);
});

it("takes the latest permissions and limits from any message, and keeps them until the next", () => {
	const store = storeAt();
	expect([store.permissions.none, store.bounds]).toEqual([true, null]);
	const bounds = { seat: { min: 5, max: null }, types: {}, positions: {} };
	store.change({ allowed: { commands: ["place_bets"] }, bounds });
	store.change({ public: { n: 2, version: 2, phase: "bets_closed", events: [] } });
	expect([store.permissions.may("place_bets"), store.bounds]).toEqual([true, bounds]);
	store.change({ public: { n: 3, version: 3, events: [] }, allowed: { commands: [] } });
	expect(store.permissions.none).toBe(true);
});

it("ignores a change that it has already applied", () => {
	const store = storeAt(3);
	expect(store.change({ own: { n: 3, events: [], credits: 1, bets: {} } })).toBe(true);
	expect(store.own?.credits).toBe(1000);
});

it("reports a gap and applies nothing out of order", () => {
	const store = storeAt();
	expect(store.change({ public: { n: 3, version: 3, phase: "idle", events: [] } })).toBe(false);
	expect([store.table?.phase, store.publicNumber]).toEqual(["bets_open", 1]);
});

it("applies an answer that carries the seat's next change", () => {
	const store = storeAt();
	expect(store.answer({ id: "x", ok: true, version: 2, own: 2, credits: 500, bets: { red: 500 } })).toBe(true);
	expect(store.own).toMatchObject({ credits: 500, staked: 500 });
	expect(store.answer({ id: "y", ok: false, version: 2, refusal: "no_credits" })).toBe(true);
});

it("stops reporting to a listener that unsubscribed", () => {
	const store = storeAt();
	const notices: TableNotice[] = [];
	store.onNotice((notice) => notices.push(notice))();
	store.change({ public: { n: 2, version: 2, events: [{ event: "spin_started.v1", round: 12 }] } });
	expect(notices).toEqual([]);
});
