/** Tests which actions the console offers and which of them is primary. */
import { describe, expect, it } from "vitest";
import { type CommandName, TablePermissions } from "../lib/permissions.ts";
import { type Action, offers, type Situation } from "./actions.ts";

const MANUAL: Situation = { mode: "manual", obstacle: null, hasRead: false, launches: false, interrupted: false };

function allowed(...commands: CommandName[]): TablePermissions {
	return new TablePermissions({ commands });
}

function offered(commands: CommandName[], situation: Partial<Situation> = {}): ReadonlyMap<Action, string> {
	return offers(allowed(...commands), { ...MANUAL, ...situation });
}

function primary(commands: CommandName[], situation: Partial<Situation> = {}): Action[] {
	return [...offered(commands, situation)].filter(([, offer]) => offer === "primary").map(([action]) => action);
}

describe("the primary action", () => {
	// The commands that the server allows a Dealer in each phase, and the primary action that follows from them.
	it.each<[string, CommandName[], Action[]]>([
		["closed", ["open_table", "take_over"], ["open_table"]],
		["idle", ["open_bets", "close_table", "refer"], ["open_bets"]],
		["bets open, closed before the spin", ["close_bets", "declare"], ["close_bets"]],
		["bets open, by the operator's choice", ["close_bets", "start_spin"], ["close_bets"]],
		["bets open, closed while spinning", ["start_spin", "declare"], ["start_spin"]],
		["spinning, bets open", ["close_bets", "observe_spin", "ball_at_rest"], ["close_bets"]],
		["bets closed", ["start_spin"], ["start_spin"]],
		["spinning", ["ball_at_rest", "observe_spin"], ["ball_at_rest"]],
		["at rest", ["ball_at_rest", "amend_reading", "register_result"], ["register_result"]],
		["registered", ["ball_at_rest", "register_result", "confirm_result"], ["confirm_result"]],
		["referred", ["close_table", "refer"], []],
		["stopped", [], []],
	])("when the table is %s", (_, commands, expected) => {
		expect(primary(commands)).toEqual(expected);
	});

	it("attests the spin before a result is confirmed", () => {
		const registered: CommandName[] = ["register_result", "confirm_result", "observe_spin"];
		expect(primary(registered, { obstacle: "not_attested" })).toEqual(["observe_spin"]);
		expect(offered(registered, { obstacle: "not_attested" }).has("confirm_result")).toBe(false);
	});

	it.each(["readings_differ", "reports_differ"] as const)("does not exist if %s", (obstacle) => {
		const found = offered(["register_result", "confirm_result", "observe_spin", "refer"], { obstacle });
		expect([...found.values()]).not.toContain("primary");
		expect([found.has("confirm_result"), found.has("register_result"), found.has("refer")]).toEqual([
			false,
			true,
			true,
		]);
	});

	it("does not exist after an interruption: the stage asks what the wheel shows", () => {
		expect(offered(["ball_at_rest", "declare"], { interrupted: true }).get("ball_at_rest")).toBeUndefined();
		expect(primary(["ball_at_rest", "declare"], { interrupted: true })).toEqual([]);
	});

	it("is not offered in automatic mode, except for opening the table", () => {
		expect(primary(["open_bets", "take_over"], { mode: "automatic" })).toEqual([]);
		expect([...offered(["open_bets", "observe_spin", "take_over"], { mode: "automatic" }).keys()]).toEqual([
			"take_over",
		]);
		expect(primary(["open_table"], { mode: "automatic" })).toEqual(["open_table"]);
	});
});

describe("the actions", () => {
	it("are empty without permissions", () => {
		expect(offered([]).size).toBe(0);
		expect(offered(["cash_out", "buy_credits", "show"]).size).toBe(0);
	});

	it("include a spin by hand only where a wheel launches the ball", () => {
		expect(offered(["start_spin"]).has("spin_by_hand")).toBe(false);
		expect(offered(["start_spin"], { launches: true }).get("spin_by_hand")).toBe("offered");
	});

	it("let a person read once and amend that reading", () => {
		const commands: CommandName[] = ["ball_at_rest", "amend_reading", "register_result"];
		expect([...offered(commands).keys()]).toEqual(["register_result", "ball_at_rest"]);
		expect([...offered(commands, { hasRead: true }).keys()]).toEqual(["register_result", "amend_reading"]);
	});

	it("resolve only readings that differ, and only of the round in progress", () => {
		const past = new TablePermissions({ commands: ["correct_result"], past: ["correct_result"] });
		const current = new TablePermissions({ commands: ["correct_result"], current: ["correct_result"] });
		const differ = { ...MANUAL, obstacle: "readings_differ" } as const;
		expect([offers(past, differ).size, offers(current, MANUAL).size]).toEqual([0, 0]);
		expect(offers(current, differ).get("correct_result")).toBe("offered");
	});

	it("include every allowed command of the same name", () => {
		const same: CommandName[] = ["declare", "call_no_spin", "refer", "close_table", "take_over", "hand_back"];
		expect([...offered(same).keys()]).toEqual(same);
	});
});
