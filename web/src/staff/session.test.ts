/** Tests of the staff session: lock and unlock with an unreliable server. */
import { expect, it } from "vitest";
import { Api, Refused } from "../lib/api.ts";
import type { CurrentUser } from "../wire.ts";
import { StaffSession } from "./session.svelte.ts";

/** A server that can be made unreachable, and that stores whether the console is locked. */
class FakeServer extends Api {
	reachable = true;
	locked = false;
	/** Functions that release delayed answers, or null to answer at once. */
	held: (() => void)[] | null = null;

	override async me(): Promise<CurrentUser> {
		const me = this.#me();
		if (this.held) await new Promise<void>((release) => this.held?.push(release));
		return me;
	}

	override async post<T>(path: string): Promise<T> {
		this.#reach();
		if (path === "/api/lock") this.locked = true;
		else if (path === "/api/unlock" && !this.locked) throw new Refused(409, "not_locked", "");
		else if (path === "/api/unlock") this.locked = false;
		return this.#me() as T;
	}

	#me(): CurrentUser {
		this.#reach();
		const { locked } = this;
		return {
			kind: "person",
			csrf: "c",
			person: "dee",
			name: "Dee",
			positions: ["dealer"],
			console: "r1",
			locked,
			everywhere: [],
			operations: [],
			attention: {},
			terminal: null,
			time_zone: "UTC",
			currency: "XXX",
		};
	}

	#reach(): void {
		if (!this.reachable) throw new Refused(0, "unreachable", "The server cannot be reached.");
	}
}

async function loggedIn(): Promise<[FakeServer, StaffSession]> {
	const server = new FakeServer();
	const session = new StaffSession(server, "r1");
	await session.refresh();
	expect(session.state).toBe("in");
	return [server, session];
}

it("locks at once and locks the console on the server", async () => {
	const [server, session] = await loggedIn();
	const locking = session.lock();
	expect(session.state).toBe("locked");
	await locking;
	expect([session.state, server.locked]).toEqual(["locked", true]);
});

it("stays locked if the server is unreachable, and sends the lock later", async () => {
	const [server, session] = await loggedIn();
	server.reachable = false;
	await session.lock();
	expect([session.state, server.locked]).toEqual(["locked", false]);
	server.reachable = true;
	await session.refresh();
	expect([session.state, server.locked]).toEqual(["locked", true]);
	await session.unlock("secret");
	expect([session.state, server.locked]).toEqual(["in", false]);
});

it("is not unlocked by an answer to an earlier request", async () => {
	const [server, session] = await loggedIn();
	server.held = [];
	const refreshing = session.refresh();
	const [release] = server.held.splice(0);
	server.held = null;
	const locking = session.lock();
	release?.();
	await refreshing;
	expect(session.state).toBe("locked");
	await locking;
	expect(session.state).toBe("locked");
});

it("can be unlocked with the password before the lock has reached the server", async () => {
	const [server, session] = await loggedIn();
	server.reachable = false;
	await session.lock();
	server.reachable = true;
	await session.unlock("secret");
	expect([session.state, server.locked]).toEqual(["in", false]);
});

it("does not lock again after an unlock at another screen of the same person", async () => {
	const [server, session] = await loggedIn();
	await session.lock();
	server.locked = false;
	await session.refresh();
	expect([session.state, server.locked]).toEqual(["in", false]);
});
