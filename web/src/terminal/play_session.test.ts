/** Tests what the terminal shows of the session that the server keeps, and what it asks for. */
import { expect, it } from "vitest";
import { FakeTable } from "../testing/fake_table.svelte.ts";
import type { SessionView } from "../wire.ts";
import { PlaySession } from "./play_session.svelte.ts";

function at(table: FakeTable, view: Partial<SessionView>): PlaySession {
	const own = table.store.own;
	if (own !== null) own.session = { began: table.time - 60_000, net_cents: 0, staked_cents: 0, ...view };
	const session = new PlaySession(table.subscription);
	session.tick();
	return session;
}

it("shows the net result and the time of the server", () => {
	const session = at(new FakeTable(), { net_cents: -500 });
	expect([session.net, session.millis, session.hold]).toEqual([-500, 60_000, ""]);
});

it("tells what keeps the Player from betting: a break before the time, the time before a check", () => {
	const table = new FakeTable();
	const session = at(table, {
		break_until: table.time + 1000,
		ends_at: table.time + 1000,
		check_due_at: table.time,
	});
	expect(session.hold).toBe("break");
	table.time += 1000;
	session.tick();
	expect(session.hold).toBe("time");
	const other = at(table, { check_due_at: table.time });
	expect(other.hold).toBe("check");
});

it("sends one limit, and shows why the server refuses it", async () => {
	const table = new FakeTable();
	const session = at(table, {});
	void session.setLimit("loss_cents", 5000);
	expect(table.requests[0]?.request).toEqual({ do: "set_protection", loss_cents: 5000 });
	await table.answers({ ok: false, refusal: "limit_not_allowed" });
	expect([session.busy, session.refused]).toEqual([false, "The house does not allow this limit."]);
});
