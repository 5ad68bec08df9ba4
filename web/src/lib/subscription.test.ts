import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeSocket, installFakeSocket, last } from "../testing/fake_socket.ts";
import type { Phase, PublicTable, ToClient } from "../wire.ts";
import { type Asked, Lost } from "./connection.ts";
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
	last().opens();
	last().says(snapshot(at));
	return subscription;
}

async function backAgain(at: At): Promise<void> {
	last().breaks();
	await vi.advanceTimersByTimeAsync(1_000);
	last().opens();
	last().says(snapshot(at));
}

const BET: Asked = { do: "place_bets", bets: [{ position: "red", cents: 500 }] };

describe("a request whose answer was lost with the connection", () => {
	it.each<[string, Asked, At, boolean]>([
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
	])("%s", async (_, request, at, isSentAgain) => {
		const subscription = seated();
		const answered = subscription.ask(request);
		const fate = answered.then(
			() => "answered",
			(error) => (error instanceof Lost ? "lost" : "failed"),
		);
		const [sent] = last().asked();
		await backAgain(at);
		expect(last().asked()).toEqual(isSentAgain ? [sent] : []);
		if (isSentAgain) last().says({ id: sent?.id ?? "", ok: true, version: 9 });
		expect(await fate).toBe(isSentAgain ? "answered" : "lost");
		expect(subscription.waiting).toEqual([]);
	});
});

it("applies an answer before it resolves the request", async () => {
	const subscription = seated();
	const answered = subscription.ask(BET);
	expect(subscription.waiting.map((one) => one.request)).toEqual([BET]);
	const id = last().asked()[0]?.id ?? "";
	last().says({ id, ok: true, version: 2, events: [], own: 2, credits: 500, bets: { red: 500 } });
	expect(subscription.store.own).toMatchObject({ credits: 500, bets: { red: 500 }, staked: 500 });
	await answered;
});

it("shows the new snapshot after a reconnect, and nothing from before", async () => {
	const subscription = seated({ bets: { red: 500 }, number: 9 });
	await backAgain({ round: 8, bets: {}, number: 2 });
	expect(subscription.store.own?.bets).toEqual({});
	expect([subscription.store.table?.round, subscription.store.ownNumber]).toEqual([8, 2]);
});

it("requests the missed changes once and applies them in order", () => {
	const subscription = seated();
	last().says({ own: { n: 4, events: [], credits: 1, bets: {} } });
	last().says({ own: { n: 5, events: [], credits: 2, bets: {} } });
	expect(subscription.store.own?.credits, "nothing is taken out of order").toBe(1000);
	const asked = last().asked();
	expect(asked).toMatchObject([{ do: "resume", epoch: "e", public: 1, own: 1 }]);
	for (const n of [2, 3, 4, 5]) last().says({ own: { n, events: [], credits: n, bets: {} } });
	expect(subscription.store.own?.credits).toBe(5);
});

it("never applies the same change twice", () => {
	const subscription = seated({ number: 3 });
	last().says({ own: { n: 3, events: [], credits: 1, bets: {} } });
	expect(subscription.store.own?.credits).toBe(1000);
	expect(last().asked()).toEqual([]);
});

describe("the pit", () => {
	const tagged = (id: string): ToClient => ({ ...snapshot({ id }), table: id }) as ToClient;

	it("requests missed changes of two tables at the same time", () => {
		const pit = new PitSubscription();
		last().opens();
		for (const id of ["a", "b"]) last().says(tagged(id));
		last().says({ house: { alerts: [], proposals: [] } });
		for (const table of ["a", "b"]) last().says({ public: { n: 5, version: 5, events: [] }, table });
		const asked = last().asked();
		expect(asked.map((one) => ("table" in one ? one.table : null))).toEqual(["a", "b"]);
		expect(pit.tables.get("b")?.publicNumber).toBe(1);
	});

	it("does not resend an approval", async () => {
		const pit = new PitSubscription();
		last().opens();
		last().says({ house: { alerts: [], proposals: [] } });
		const said = pit.say({ do: "approve", proposal: "p1" });
		last().breaks();
		await vi.advanceTimersByTimeAsync(1_000);
		last().opens();
		last().says({ house: { alerts: [], proposals: [] } });
		await expect(said).rejects.toBeInstanceOf(Lost);
		expect(last().asked()).toEqual([]);
		expect(FakeSocket.all.length).toBe(2);
	});
});
