/** Tests of the subscriptions: reconnects, gaps and requests. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeSocket, installFakeSocket, last } from "../testing/fake_socket.ts";
import type { Phase, PublicTable, ToClient } from "../wire.ts";
import { type ClientRequest, ConnectionLost } from "./connection.ts";
import { PitSubscription, TableSubscription } from "./subscription.svelte.ts";

beforeEach(() => {
	vi.useFakeTimers();
	installFakeSocket();
});
afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllGlobals();
});

interface At {
	id?: string;
	round?: number;
	phase?: Phase;
	number?: number;
	bets?: Record<string, number>;
}

function snapshot({ id = "t", round = 7, phase = "bets_open", number = 1, bets = {} }: At = {}): ToClient {
	const table = { id, round, phase, last_results: [], chips: null } as unknown as PublicTable;
	const own = { seat: "1", terminal: "k", credits: 1000, bets, staked: 0, repeatable: {}, undoable: false };
	return { snapshot: { table, own }, epoch: "e", public: number, own: number };
}

function seated(at: At = {}): TableSubscription {
	const subscription = new TableSubscription("t");
	last().open();
	last().receive(snapshot(at));
	return subscription;
}

async function reconnect(at: At): Promise<void> {
	last().disconnect();
	await vi.advanceTimersByTimeAsync(1_000);
	last().open();
	last().receive(snapshot(at));
}

const BET: ClientRequest = { do: "place_bets", bets: [{ position: "red", cents: 500 }] };

describe("a request whose answer was lost with the connection", () => {
	it.each<[string, ClientRequest, At, boolean]>([
		["a bet, in its own round", BET, {}, true],
		["a bet, after its round has closed", BET, { phase: "spinning" }, true],
		["a bet, in the next round", BET, { round: 8 }, false],
		["to repeat, in the next round", { do: "repeat" }, { round: 8 }, false],
		["to undo, in the next round", { do: "undo" }, { round: 8 }, false],
		["a cash-out, in the next round", { do: "cash_out" }, { round: 8, phase: "idle" }, true],
		["credits that were paid for, in the next round", { do: "buy_credits", cents: 500 }, { round: 8 }, true],
		["a Dealer's step, in its own phase", { do: "close_bets" }, {}, true],
		["a Dealer's step, in another phase", { do: "close_bets" }, { phase: "bets_closed" }, false],
		["a void, in the next round", { do: "declare", irregularity: "x" }, { round: 8 }, false],
	])("%s", async (_, request, at, isResent) => {
		const subscription = seated();
		const answered = subscription.ask(request);
		const result = answered.then(
			() => "answered",
			(error) => (error instanceof ConnectionLost ? "lost" : "failed"),
		);
		const [sent] = last().requests();
		await reconnect(at);
		expect(last().requests()).toEqual(isResent ? [sent] : []);
		if (isResent) last().receive({ id: sent?.id ?? "", ok: true, version: 9 });
		expect(await result).toBe(isResent ? "answered" : "lost");
		expect(subscription.waiting).toEqual([]);
	});
});

it("applies an answer before it resolves the request", async () => {
	const subscription = seated();
	const answered = subscription.ask(BET);
	expect(subscription.waiting.map((one) => one.request)).toEqual([BET]);
	const id = last().requests()[0]?.id ?? "";
	last().receive({ id, ok: true, version: 2, events: [], own: 2, credits: 500, bets: { red: 500 } });
	expect(subscription.store.own).toMatchObject({ credits: 500, bets: { red: 500 }, staked: 500 });
	await answered;
});

it("replaces all data with the new snapshot after a reconnect", async () => {
	const subscription = seated({ bets: { red: 500 }, number: 9 });
	await reconnect({ round: 8, bets: {}, number: 2 });
	expect(subscription.store.own?.bets).toEqual({});
	expect([subscription.store.table?.round, subscription.store.ownNumber]).toEqual([8, 2]);
});

it("requests the missed changes once and applies them in order", () => {
	const subscription = seated();
	last().receive({ own: { n: 4, events: [], credits: 1, bets: {} } });
	last().receive({ own: { n: 5, events: [], credits: 2, bets: {} } });
	expect(subscription.store.own?.credits, "no change is applied out of order").toBe(1000);
	const requests = last().requests();
	expect(requests).toMatchObject([{ do: "resume", epoch: "e", public: 1, own: 1 }]);
	for (const n of [2, 3, 4, 5]) last().receive({ own: { n, events: [], credits: n, bets: {} } });
	expect(subscription.store.own?.credits).toBe(5);
});

it("never applies the same change twice", () => {
	const subscription = seated({ number: 3 });
	last().receive({ own: { n: 3, events: [], credits: 1, bets: {} } });
	expect(subscription.store.own?.credits).toBe(1000);
	expect(last().requests()).toEqual([]);
});

describe("the pit", () => {
	const tagged = (id: string): ToClient => ({ ...snapshot({ id }), table: id }) as ToClient;

	it("requests missed changes of two tables at the same time", () => {
		const pit = new PitSubscription();
		last().open();
		for (const id of ["a", "b"]) last().receive(tagged(id));
		last().receive({ house: { alerts: [], proposals: [] } });
		for (const table of ["a", "b"]) last().receive({ public: { n: 5, version: 5, events: [] }, table });
		const requests = last().requests();
		expect(requests.map((one) => ("table" in one ? one.table : null))).toEqual(["a", "b"]);
		expect(pit.tables.get("b")?.publicNumber).toBe(1);
	});

	it("does not resend an approval", async () => {
		const pit = new PitSubscription();
		last().open();
		last().receive({ house: { alerts: [], proposals: [] } });
		const answer = pit.sendToHouse({ do: "approve", proposal: "p1" });
		last().disconnect();
		await vi.advanceTimersByTimeAsync(1_000);
		last().open();
		last().receive({ house: { alerts: [], proposals: [] } });
		await expect(answer).rejects.toBeInstanceOf(ConnectionLost);
		expect(last().requests()).toEqual([]);
		expect(FakeSocket.all.length).toBe(2);
	});
});
