import { expect, test } from "vitest";
import type { GameInfo } from "../wire.ts";
import { declarable, mayCorrect, mayDecide, mayDo, powersOf, worksAt } from "./powers.ts";

const ladder = ["dealer", "pit_supervisor", "pit_manager", "shift_manager", "casino_manager"];
const irregularity = (id: string, effect: string, declared_by: string[], voids: boolean) => ({
	id,
	effect,
	declared_by,
	voids,
});
const rules = (or_above: boolean, higher_may_act: string | null, irregularities: object[]) =>
	({
		authority: { ladder, decides: { position: "shift_manager", or_above }, higher_may_act },
		irregularities,
	}) as unknown as GameInfo;
const game = (or_above: boolean, ...irregularities: object[]) => rules(or_above, null, irregularities);

test("positions are read from the house's description of itself", () => {
	const powers = powersOf({
		paths: {
			"/a": { post: { operationId: "add", description: "For shift_manager or casino_manager." } },
			"/b": { get: { operationId: "see", description: "For the pit, or the auditor." } },
			"/c": { post: { operationId: "ask", description: "For a terminal or staff of the table, except the auditor." } },
		},
	});
	expect(mayDo(powers, "add", ["shift_manager"])).toBe(true);
	expect(mayDo(powers, "add", ["pit_manager", "auditor"])).toBe(false);
	expect(mayDo(powers, "see", ["auditor"])).toBe(false);
	expect(mayDo(powers, "ask", ["auditor"])).toBe(false);
	expect(mayDo(powers, "none", ["casino_manager"])).toBe(false);
});

test("the auditor works at no table", () => {
	expect(worksAt(game(true), ["auditor"])).toBe(false);
	expect(worksAt(game(true), ["pit_supervisor"])).toBe(true);
});

test("who decides is the rulebook's word", () => {
	expect(mayDecide(game(true), ["casino_manager"])).toBe(true);
	expect(mayDecide(game(false), ["casino_manager"])).toBe(false);
	expect(mayDecide(game(false), ["shift_manager"])).toBe(true);
	expect(mayDecide(game(true), ["pit_manager"])).toBe(false);
	expect(mayDecide(rules(false, "6.2", []), ["casino_manager"])).toBe(true);
	expect(mayDecide(rules(false, "6.2", []), ["pit_manager"])).toBe(false);
});

test("who corrects is named, or the pit", () => {
	const named = game(true, irregularity("x", "settle_by_wheel", ["pit_manager"], false));
	expect(mayCorrect(named, ["pit_manager"])).toBe(true);
	expect(mayCorrect(named, ["casino_manager"])).toBe(false);
	expect(mayCorrect(game(true), ["casino_manager"])).toBe(true);
	expect(mayCorrect(game(true), ["dealer"])).toBe(false);
});

test("only what voids is declared, by whom it says", () => {
	const one = game(
		true,
		irregularity("broke", "void_affected_rounds", ["dealer", "pit_manager"], true),
		irregularity("system", "void_round", ["system"], true),
		irregularity("words", "wheel_prevails", ["pit_manager"], false),
	);
	expect(declarable(one, ["pit_manager"]).map(({ id }) => id)).toEqual(["broke"]);
	expect(declarable(one, ["shift_manager"])).toEqual([]);
});
