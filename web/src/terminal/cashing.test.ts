import { beforeEach, expect, it, vi } from "vitest";
import { type FollowedTable, Lost } from "../lib/following.svelte.ts";
import type { Answered, Asked } from "../lib/line.ts";
import { Cashing } from "./cashing.svelte.ts";

const kept = new Map<string, string>();
const TICKET = { event: "cashed_out.v1", seat: "4", cents: 500, ticket: "12345678901234567890", expires: 1 } as const;

beforeEach(() => {
	kept.clear();
	vi.stubGlobal("localStorage", {
		getItem: (key: string) => kept.get(key) ?? null,
		setItem: (key: string, value: string) => kept.set(key, value),
		removeItem: (key: string) => kept.delete(key),
	});
});

/** A table that answers as it is told, and notes under which ids it was asked. */
function table(answer: (request: Asked) => Promise<Answered>) {
	const ids: (string | undefined)[] = [];
	let count = 0;
	const followed = {
		newId: () => `new-${++count}`,
		ask: (request: Asked, id?: string) => {
			ids.push(id);
			return answer(request);
		},
	};
	return { ids, followed: followed as unknown as FollowedTable };
}

const paid = async () => ({ id: "x", ok: true, events: [TICKET] }) as Answered;

it("shows the ticket, and forgets the request only when the Player has it", async () => {
	const { followed } = table(paid);
	const cashing = new Cashing(followed, "t", "4");
	await cashing.cashOut();
	expect(cashing.ticket).toEqual(TICKET);
	expect([...kept.values()]).toEqual(['"new-1"']);
	cashing.done();
	expect(cashing.ticket).toBeNull();
	expect(kept.size).toBe(0);
});

it("asks again under the same name when the answer was lost with the page", async () => {
	const lost = table(() => Promise.reject(new Lost()));
	await new Cashing(lost.followed, "t", "4").cashOut();
	const again = table(paid);
	const cashing = new Cashing(again.followed, "t", "4");
	cashing.resume();
	await vi.waitFor(() => expect(cashing.ticket).toEqual(TICKET));
	expect(again.ids).toEqual(lost.ids);
});

it("does not keep the ticket's number", async () => {
	await new Cashing(table(paid).followed, "t", "4").cashOut();
	expect(JSON.stringify([...kept])).not.toContain(TICKET.ticket);
});

it("forgets a cash-out that was refused, and another seat's is not its own", async () => {
	const refused = table(async () => ({ id: "x", ok: false, refusal: "no_credits" }) as Answered);
	const cashing = new Cashing(refused.followed, "t", "4");
	await cashing.cashOut();
	expect(cashing.refused).not.toBe("");
	expect(kept.size).toBe(0);
	await new Cashing(table(() => Promise.reject(new Lost())).followed, "t", "4").cashOut();
	const other = table(paid);
	new Cashing(other.followed, "t", "5").resume();
	expect(other.ids).toEqual([]);
});

it("keeps a cash-out that waits when something else is refused", async () => {
	await new Cashing(table(() => Promise.reject(new Lost())).followed, "t", "4").cashOut();
	const refused = table(async () => ({ id: "x", ok: false, refusal: "no_such_ticket" }) as Answered);
	expect(await new Cashing(refused.followed, "t", "4").redeem("1")).toBeNull();
	expect(kept.size).toBe(1);
});
