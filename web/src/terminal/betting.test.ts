/** Tests how the terminal requests bets and shows them as pending or registered. */
import { beforeEach, expect, it, vi } from "vitest";
import { ConnectionLost } from "../lib/connection.ts";
import { FakeTable } from "../testing/fake_table.svelte.ts";
import { Betting } from "./betting.svelte.ts";
import { Toasts } from "./toasts.svelte.ts";

let toasts: Toasts;

beforeEach(() => {
	vi.useRealTimers();
	toasts = new Toasts();
});

function at(table: FakeTable): Betting {
	const betting = new Betting(
		table.subscription,
		() => null,
		toasts,
		() => undefined,
	);
	betting.chip = 500;
	return betting;
}

it("shows the server's bets as registered and a tap as pending until it is answered", async () => {
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
	"sends no request when the server accepts no bets because the table is %s",
	(phase) => {
		const table = new FakeTable({ red: 500 }, ["cash_out"], phase);
		const betting = at(table);
		betting.touch("red");
		betting.double();
		expect([table.requests, betting.enabled]).toEqual([[], false]);
		expect(toasts.current?.tone).toBe("bad");
	},
);

it("sends requests as soon as the server accepts bets, independent of the phase", () => {
	const table = new FakeTable({}, [], "idle");
	const betting = at(table);
	expect(betting.enabled).toBe(false);
	table.store.change({ allowed: { commands: ["place_bets"] } });
	betting.touch("red");
	expect([table.requests.length, betting.enabled]).toEqual([1, true]);
});

it("sends no request after the connection is lost", () => {
	const table = new FakeTable();
	table.status = "lost";
	const betting = at(table);
	betting.touch("red");
	expect([table.requests, betting.enabled]).toEqual([[], false]);
});

it("says what the Player's limit leaves when the server refuses a bet by it", async () => {
	const table = new FakeTable();
	const own = table.store.own;
	if (own !== null) own.session = { began: 0, net_cents: 0, staked_cents: 0, loss_left_cents: 900 };
	at(table).touch("red");
	await table.answers({ ok: false, refusal: "loss_limit" });
	expect(toasts.current?.text).toBe("This bet could pass your loss limit: 9.00 left until your limit");
});

it("forgets the steps of an earlier round even if it missed the end of that round", () => {
	const table = new FakeTable();
	const betting = at(table);
	table.happens({ event: "bets_placed.v1", seat: "1", bets: { red: 500 } }, { red: 500 });
	const { table: current, own } = table.store;
	if (current === null || own === null) throw new Error("seated");
	const snapshot = { table: { ...current, round: 8 }, own: { ...own, bets: {}, staked: 0, undoable: false } };
	table.store.applySnapshot({ snapshot, epoch: "e", public: 9, own: 9 });
	expect(betting.undoable).toBe(false);
	betting.undo();
	expect(betting.pending).toEqual({});
});

it("does not claim that requests without an answer were not registered", async () => {
	const table = new FakeTable();
	const betting = at(table);
	betting.touch("red");
	betting.touch("black");
	await table.loses(new ConnectionLost());
	expect(toasts.current?.text).toMatch(/^2 .*My rounds/);
	expect(toasts.current?.text).not.toMatch(/registered/);
});

it("tells after a cut connection which bets were not registered", async () => {
	const table = new FakeTable({ red: 500 });
	const betting = at(table);
	betting.touch("red");
	betting.touch("black");
	await table.loses(new ConnectionLost());
	expect(betting.lostIn(7)).toEqual([
		["red", 500],
		["black", 500],
	]);
	const { own } = table.store;
	if (own === null) throw new Error("seated");
	table.store.own = {
		...own,
		interrupted: {
			round: 7,
			clause: "5.2",
			registered_clause: "5.2.1",
			unregistered_clause: "5.2.2",
			bets: { red: 1000 },
			referred: false,
		},
	};
	expect(betting.lostIn(7)).toEqual([["black", 500]]);
	expect(betting.lostIn(8)).toEqual([]);
});

it("bets with the table's cash chips and the seat's own colour chips", () => {
	const table = new FakeTable();
	const current = table.store.table;
	if (current === null) throw new Error("a table");
	table.store.table = { ...current, cash_chips: [100, 500], colours: { "1": { colour: "blue", value_cents: 250 } } };
	const betting = at(table);
	expect([betting.chips, betting.colour?.colour]).toEqual([[100, 500], "blue"]);
	betting.choose(250, true);
	betting.checkChip();
	expect([betting.chip, betting.ownColour]).toEqual([250, true]);
	table.store.table = { ...current, cash_chips: [100, 500], colours: {} };
	betting.checkChip();
	expect([betting.chips.includes(betting.chip), betting.ownColour]).toEqual([true, false]);
});

it("bets with the house's values in a game without chips", () => {
	expect(at(new FakeTable()).chips).toEqual([100]);
});
