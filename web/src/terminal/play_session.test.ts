/** Tests the net result, the loss limit and the storage of a session. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Api } from "../lib/api.ts";
import { FakeTable, settled } from "../testing/fake_table.svelte.ts";
import type { History, TableEvent } from "../wire.ts";
import { PlaySession } from "./play_session.svelte.ts";

let store: Map<string, string>;
let listeners: ((event: { key: string }) => void)[];
let past: History["rounds"];

beforeEach(() => {
	store = new Map();
	listeners = [];
	past = [];
	vi.stubGlobal("localStorage", {
		getItem: (key: string) => store.get(key) ?? null,
		setItem: (key: string, value: string) => store.set(key, value),
		removeItem: (key: string) => store.delete(key),
	});
	vi.stubGlobal("window", {
		addEventListener: (_: string, listener: (event: { key: string }) => void) => listeners.push(listener),
		removeEventListener: () => undefined,
	});
});
afterEach(() => {
	vi.unstubAllGlobals();
});

const api = { get: () => Promise.resolve({ table: "t", rounds: past, before: null }) } as unknown as Api;

async function seated(table = new FakeTable()): Promise<[FakeTable, PlaySession]> {
	const session = new PlaySession(api, table.subscription, "t", "1");
	await session.begin(7);
	return [table, session];
}

function ended(round: number, staked: number, returned: number): TableEvent {
	return { event: "round_settled.v1", round, outcome: "17", staked, returned, seats: { "1": [staked, returned] } };
}

const cashedOut: TableEvent = { event: "cashed_out.v1", seat: "1", cents: 500, ticket: "0123", expires: 0 };

it("counts each settled round once, and a corrected round by its new result", async () => {
	const [table, session] = await seated();
	table.happens(ended(7, 500, 0));
	table.happens(ended(8, 500, 1800));
	expect([session.net, session.rounds]).toEqual([800, 2]);
	past = [{ round: 8, outcome: "3", rulebook: "r", seats: { "1": { staked: 500, returned: 0 } } }];
	table.happens({ event: "round_corrected.v1", round: 8, was: "17", outcome: "3", clause: "1", seats: [] });
	await settled();
	expect([session.net, session.rounds]).toEqual([-1000, 2]);
});

it("does not count a void round, nor rounds before the session", async () => {
	const [table, session] = await seated();
	table.happens({ event: "round_voided.v1", round: 7, clauses: [], returns: "", seats: { "1": 500 } });
	table.happens(ended(6, 500, 0));
	expect([session.net, session.rounds]).toEqual([0, 1]);
});

it("requests the missed rounds after a reconnect", async () => {
	const [, session] = await seated();
	past = [
		{ round: 9, outcome: "3", rulebook: "r", seats: { "1": { staked: 300, returned: 0 } } },
		{ round: 6, outcome: "3", rulebook: "r", seats: { "1": { staked: 9_000, returned: 0 } } },
	];
	await session.begin(10);
	expect(session.net).toBe(-300);
});

it("keeps the limit after a reload and ends it with the cash-out", async () => {
	const [, first] = await seated();
	first.setLimit(5_000);
	const [table, again] = await seated();
	expect(again.limit.cents).toBe(5_000);
	table.happens(cashedOut);
	expect([again.limit.cents, again.rounds]).toEqual([null, 0]);
});

it("does not end with bets on the layout, because they may still be lost", async () => {
	const [table, session] = await seated();
	session.setLimit(5_000);
	table.happens(cashedOut, { red: 500 });
	expect(session.limit.cents).toBe(5_000);
});

it("continues with its limit and losses when the same ticket is redeemed", async () => {
	const [table, session] = await seated();
	session.setLimit(5_000);
	table.happens(ended(7, 4_000, 0));
	table.happens(cashedOut);
	expect(session.leftToLose(0)).toBeNull();
	table.happens({ event: "ticket_redeemed.v2", seat: "1", cents: 500, ticket: "6f1e-0123" });
	expect(session.leftToLose(0)).toBe(1_000);
});

it("does not continue a session after another ticket or a new bet", async () => {
	const [table, session] = await seated();
	session.setLimit(5_000);
	table.happens(cashedOut);
	table.happens({ event: "ticket_redeemed.v1", seat: "1", cents: 500, ticket: "9999" });
	expect(session.limit.cents).toBeNull();
	table.happens({ event: "bets_placed.v1", seat: "1", bets: { red: 100 } }, { red: 100 });
	table.happens({ event: "ticket_redeemed.v1", seat: "1", cents: 500, ticket: "0123" });
	expect(session.limit.cents).toBeNull();
});

it("stores no ticket number", async () => {
	const [table] = await seated();
	table.happens(cashedOut);
	expect([...store.values()].join()).not.toContain("0123");
});

it("is shared by two pages of the same seat, including the limit", async () => {
	const [, one] = await seated();
	const [table, other] = await seated();
	one.setLimit(5_000);
	for (const listener of listeners) listener({ key: "roundhouse.session.t.1" });
	expect(other.limit.cents).toBe(5_000);
	table.happens(ended(7, 500, 0));
	const [, reloaded] = await seated();
	expect(reloaded.limit.cents).toBe(5_000);
});
