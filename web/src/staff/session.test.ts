import { expect, it } from "vitest";
import { Api, Refused } from "../lib/api.ts";
import type { CurrentUser } from "../wire.ts";
import { StaffSession } from "./session.svelte.ts";

/** A house that can be cut off, and that knows whether the console is locked. */
class House extends Api {
	reachable = true;
	locked = false;
	/** Answers that are on their way, to be let through by hand. */
	held: (() => void)[] | null = null;

	override async me(): Promise<CurrentUser> {
		const said = this.#me();
		if (this.held) await new Promise<void>((through) => this.held?.push(through));
		return said;
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
			terminal: null,
			time_zone: "UTC",
		};
	}

	#reach(): void {
		if (!this.reachable) throw new Refused(0, "unreachable", "The house cannot be reached.");
	}
}

async function atWork(): Promise<[House, StaffSession]> {
	const house = new House();
	const session = new StaffSession(house, "r1");
	await session.refresh();
	expect(session.state).toBe("in");
	return [house, session];
}

it("locks at once, and the house knows", async () => {
	const [house, session] = await atWork();
	const locking = session.lock();
	expect(session.state).toBe("locked");
	await locking;
	expect([session.state, house.locked]).toEqual(["locked", true]);
});

it("stays locked when the house could not be told, and tells it when it can", async () => {
	const [house, session] = await atWork();
	house.reachable = false;
	await session.lock();
	expect([session.state, house.locked]).toEqual(["locked", false]);
	house.reachable = true;
	await session.refresh();
	expect([session.state, house.locked]).toEqual(["locked", true]);
	await session.unlock("secret");
	expect([session.state, house.locked]).toEqual(["in", false]);
});

it("is not opened by an answer that was on its way when it was locked", async () => {
	const [house, session] = await atWork();
	house.held = [];
	const looking = session.refresh();
	const [through] = house.held.splice(0);
	house.held = null;
	const locking = session.lock();
	through?.();
	await looking;
	expect(session.state).toBe("locked");
	await locking;
	expect(session.state).toBe("locked");
});

it("is unlocked by its password even before the house was told of the lock", async () => {
	const [house, session] = await atWork();
	house.reachable = false;
	await session.lock();
	house.reachable = true;
	await session.unlock("secret");
	expect([session.state, house.locked]).toEqual(["in", false]);
});

it("does not lock again what was unlocked at another screen of the same person", async () => {
	const [house, session] = await atWork();
	await session.lock();
	house.locked = false;
	await session.refresh();
	expect([session.state, house.locked]).toEqual(["in", false]);
});
