import { beforeEach, expect, it, vi } from "vitest";
import { ConnectionLost } from "../lib/connection.ts";
import { FakeTable } from "../testing/fake_table.svelte.ts";
import { Betting } from "./betting.svelte.ts";
import type { PlaySession } from "./play_session.svelte.ts";
import { Toasts } from "./toasts.svelte.ts";

let limit: number | null;
let toasts: Toasts;

beforeEach(() => {
	vi.useRealTimers();
	limit = null;
	toasts = new Toasts();
});

function at(table: FakeTable): Betting {
	const session = {
		limit: { cents: 1000 },
		leftToLose: (standing: number) => (limit === null ? null : Math.max(0, limit - standing)),
	} as unknown as PlaySession;
	const betting = new Betting(
		table.subscription,
		() => null,
		session,
		toasts,
		() => undefined,
	);
	betting.chip = 500;
	return betting;
}

it("shows as registered what the house has, and a tap as pending until it answers", async () => {
	const table = new FakeTable({ red: 500 });
	const betting = at(table);
	betting.touch("red");
	betting.touch("black");
	expect([betting.bets, betting.pending, betting.total]).toEqual([{ red: 500 }, { red: 500, black: 500 }, 1500]);
	await table.answers({ ok: false, refusal: "above_maximum" });
	expect([betting.bets, betting.pending]).toEqual([{ red: 500 }, { black: 500 }]);
	expect(toasts.current?.tone).toBe("bad");
});

it.each(["closed", "idle", "bets_closed", "spinning", "at_rest", "registered", "referred", "stopped"] as const)(
	"asks nothing while the server takes no bets because the table is %s",
	(phase) => {
		const table = new FakeTable({ red: 500 }, ["cash_out"], phase);
		const betting = at(table);
		betting.touch("red");
		betting.double();
		expect([table.requests, betting.enabled]).toEqual([[], false]);
		expect(toasts.current?.tone).toBe("bad");
	},
);

it("asks as soon as the server takes bets, whatever the phase is called", () => {
	const table = new FakeTable({}, [], "idle");
	const betting = at(table);
	expect(betting.enabled).toBe(false);
	table.store.change({ allowed: { commands: ["place_bets"] } });
	betting.touch("red");
	expect([table.requests.length, betting.enabled]).toEqual([1, true]);
});

it("sends nothing while the connection is lost", () => {
	const table = new FakeTable();
	table.status = "lost";
	const betting = at(table);
	betting.touch("red");
	expect([table.requests, betting.enabled]).toEqual([[], false]);
});

it("stops at the Player's own limit whatever it is asked for by", async () => {
	const table = new FakeTable({ red: 500 });
	const betting = at(table);
	limit = 900;
	betting.touch("red");
	betting.double();
	betting.placeAll({ black: 300, even: 200 });
	expect(table.requests).toEqual([]);
	betting.chip = 400;
	betting.touch("black");
	betting.touch("black");
	expect(table.requests, "what is asked for counts as staked").toHaveLength(1);
});

it("does not put back above a limit that was set meanwhile what was taken off", () => {
	const table = new FakeTable({ red: 500 });
	const betting = at(table);
	table.happens({ event: "bets_withdrawn.v1", seat: "1", bets: { red: 500 }, how: "cleared" });
	limit = 100;
	betting.undo();
	expect(table.requests).toEqual([]);
	limit = 500;
	betting.undo();
	expect(betting.pending).toEqual({ red: 500 });
});

it("forgets the steps of a round whose end it did not hear", () => {
	const table = new FakeTable();
	const betting = at(table);
	table.happens({ event: "bets_placed.v1", seat: "1", bets: { red: 500 } }, { red: 500 });
	const { table: shown, own } = table.store;
	if (shown === null || own === null) throw new Error("seated");
	const snapshot = { table: { ...shown, round: 8 }, own: { ...own, bets: {}, staked: 0, undoable: false } };
	table.store.applySnapshot({ snapshot, epoch: "e", public: 9, own: 9 });
	expect(betting.undoable).toBe(false);
	betting.undo();
	expect(betting.pending).toEqual({});
});

it("does not say of what got no answer that it was not registered", async () => {
	const table = new FakeTable();
	const betting = at(table);
	betting.touch("red");
	betting.touch("black");
	await table.loses(new ConnectionLost());
	expect(toasts.current?.text).toMatch(/^2 .*My rounds/);
	expect(toasts.current?.text).not.toMatch(/registered/);
});
