/** Tests buying credits, cashing out and redeeming tickets. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ConnectionLost } from "../lib/connection.ts";
import { FakeTable, settled } from "../testing/fake_table.svelte.ts";
import type { CashedOut } from "../wire.ts";
import { Cashier } from "./cashier.svelte.ts";

let store: Map<string, string>;

beforeEach(() => {
	store = new Map();
	vi.stubGlobal("localStorage", {
		getItem: (key: string) => store.get(key) ?? null,
		setItem: (key: string, value: string) => store.set(key, value),
		removeItem: (key: string) => store.delete(key),
	});
});
afterEach(() => {
	vi.unstubAllGlobals();
});

const cashedOut: CashedOut = { event: "cashed_out.v1", seat: "1", cents: 500, ticket: "0123", expires: 9 };

function at(table = new FakeTable()): [FakeTable, Cashier] {
	return [table, new Cashier(table.subscription, "t", "1")];
}

it("shows the ticket of a cash-out until the Player has it", async () => {
	const [table, cashier] = at();
	void cashier.cashOut();
	expect(cashier.busy).toBe(true);
	await table.answers({ ok: true, events: [cashedOut] });
	expect([cashier.busy, cashier.ticket?.ticket]).toEqual([false, "0123"]);
	expect([...store.values()].join()).not.toContain("0123");
	cashier.done();
	expect([cashier.ticket, store.size]).toEqual([null, 0]);
});

it("repeats a cash-out with the same id after a reload, before and after the ticket was shown", async () => {
	const [first, cashier] = at();
	void cashier.cashOut();
	const [asked] = first.requests;
	for (const isAnswered of [false, true]) {
		const [again, reloaded] = at();
		reloaded.resume();
		expect(again.requests).toEqual([asked]);
		if (isAnswered) {
			await again.answers({ ok: true, events: [cashedOut] });
			expect(reloaded.ticket?.ticket).toBe("0123");
		}
	}
});

it("sends a request once, however often the connection is restored", () => {
	const [table, cashier] = at();
	void cashier.cashOut();
	cashier.resume();
	cashier.resume();
	expect(table.requests).toHaveLength(1);
});

it("keeps the id of a lost request and forgets the id of a refused one", async () => {
	const [table, cashier] = at();
	void cashier.cashOut();
	await table.loses(new ConnectionLost());
	expect([store.size, cashier.busy]).toEqual([1, false]);
	cashier.resume();
	await table.answers({ ok: false, refusal: "no_credits" });
	expect([store.size, cashier.ticket]).toEqual([0, null]);
	expect(cashier.refused).not.toBe("");
	cashier.resume();
	await settled();
	expect(table.requests).toHaveLength(2);
});

it("reports the amount of a ticket from the server's event", async () => {
	const [table, cashier] = at();
	const redeeming = cashier.redeem("0123");
	await table.answers({ ok: true, events: [{ event: "ticket_redeemed.v1", seat: "1", cents: 777, ticket: "0123" }] });
	expect(await redeeming).toBe(777);
	const buying = cashier.buy(500);
	await table.answers({ ok: false, refusal: "not_authorised" });
	expect(await buying).toBeNull();
});
