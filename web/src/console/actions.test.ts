/** Tests which actions the console offers and which of them is primary. */
import { describe, expect, it } from "vitest";
import { type CommandName, TablePermissions } from "../lib/permissions.ts";
import { type Action, offers } from "./actions.ts";

function allowed(...commands: CommandName[]): TablePermissions {
	return new TablePermissions({ commands });
}

function primary(permissions: TablePermissions, mode: "automatic" | "manual" = "manual"): Action[] {
	return [...offers(permissions, mode)].filter(([, offer]) => offer === "primary").map(([action]) => action);
}

describe("the primary action", () => {
	// The commands that the server allows a Dealer in each phase, and the primary action that follows from them.
	it.each<[string, CommandName[], Action[]]>([
		["closed", ["open_table", "take_over"], ["open_table"]],
		["idle", ["open_bets", "close_table", "refer"], ["open_bets"]],
		["bets open, closed before the spin", ["close_bets", "declare"], ["close_bets"]],
		["bets open, by the operator's choice", ["close_bets", "start_spin"], ["close_bets"]],
		["bets open, closed while spinning", ["start_spin", "declare"], ["start_spin"]],
		["spinning, bets open", ["close_bets", "observe_spin"], ["close_bets"]],
		["bets closed", ["start_spin"], ["start_spin"]],
		["spinning", ["ball_at_rest", "observe_spin"], ["enter_result"]],
		["at rest", ["register_result"], ["enter_result"]],
		["registered", ["register_result", "confirm_result"], ["confirm_result"]],
		["referred", ["close_table", "refer"], []],
		["stopped", [], []],
	])("when the table is %s", (_, commands, expected) => {
		expect(primary(allowed(...commands))).toEqual(expected);
	});

	it("leaves the other allowed steps as secondary actions", () => {
		const found = offers(allowed("register_result", "confirm_result", "refer"), "manual");
		expect([found.get("enter_result"), found.get("refer")]).toEqual(["offered", "offered"]);
	});

	it("is not offered in automatic mode, except for opening the table", () => {
		expect(primary(allowed("open_bets", "take_over"), "automatic")).toEqual([]);
		expect([...offers(allowed("open_bets", "observe_spin", "take_over"), "automatic").keys()]).toEqual(["take_over"]);
		expect(primary(allowed("open_table"), "automatic")).toEqual(["open_table"]);
	});
});

describe("the actions", () => {
	it("are empty without permissions", () => {
		expect(offers(allowed(), "manual").size).toBe(0);
		expect(offers(allowed("cash_out", "buy_credits", "show"), "manual").size).toBe(0);
	});

	it("include a correction only for the current round", () => {
		const past = new TablePermissions({ commands: ["correct_result"], past: ["correct_result"] });
		const current = new TablePermissions({ commands: ["correct_result"], current: ["correct_result"] });
		expect([offers(past, "manual").size, offers(current, "manual").get("correct_result")]).toEqual([0, "offered"]);
	});

	it("include every allowed command of the same name", () => {
		const same: CommandName[] = ["declare", "call_no_spin", "refer", "close_table", "take_over", "hand_back"];
		expect([...offers(allowed(...same), "manual").keys()]).toEqual(same);
	});
});
