/** Tests of the state of a staff session. */
import { describe, expect, it } from "vitest";
import type { CurrentUser, Role } from "../wire.ts";
import { sessionState } from "./session_state.ts";

function person(positions: Role[], console: string | null, locked = false): CurrentUser {
	const everywhere = positions.filter((role) => role !== "dealer" && role !== "cashier");
	const identity = { kind: "person", csrf: "c", person: "dee", name: "Dee" } as const;
	return {
		...identity,
		positions,
		everywhere,
		operations: [],
		attention: {},
		console,
		locked,
		terminal: null,
		time_zone: "UTC",
		currency: "XXX",
	};
}

describe("the state of a session", () => {
	it("is loading before the server has answered", () => {
		expect(sessionState(null, "r1")).toBe("loading");
	});

	it("is out for a terminal and for an anonymous browser", () => {
		expect(sessionState({ ...person([], null), kind: "nobody" }, "r1")).toBe("out");
		expect(sessionState({ ...person([], null), kind: "terminal" }, "r1")).toBe("out");
	});

	it.each([
		[["dealer"], "r1", "r1", "in"],
		[["dealer"], "r1", "r2", "elsewhere"],
		[["dealer", "cashier"], "r1", null, "elsewhere"],
		[["pit_supervisor", "dealer"], null, "r1", "in"],
		[["pit_manager"], null, null, "in"],
		[["auditor"], null, "r1", "in"],
	] as [Role[], string | null, string | null, string][])(
		"%j logged in at console %s, on the screen of %s: %s",
		(roles, at, here, expected) => {
			expect(sessionState(person(roles, at), here)).toBe(expected);
		},
	);

	it("is locked at a locked console for any position", () => {
		expect(sessionState(person(["dealer"], "r1", true), "r2")).toBe("locked");
	});
});
