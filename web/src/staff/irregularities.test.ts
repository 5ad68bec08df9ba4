/** Tests of the list of irregularities. */
import { describe, expect, it } from "vitest";
import { TablePermissions } from "../lib/permissions.ts";
import type { Declarable, Effect, IrregularityInfo } from "../wire.ts";
import { listed, nameOf, visible } from "./irregularities.ts";

function irregularity(id: string, effect: Effect, rest: Partial<IrregularityInfo> = {}): IrregularityInfo {
	const usual = { until: "settlement", declared_by: [], voids: true, by_people: true, observable: true } as const;
	return { id, clause: "5.1", words: id, effect, ...usual, declared_by: [], ...rest };
}

const sheet = {
	irregularities: [
		irregularity("interrupted", "void_round", { by_people: false }),
		irregularity("wheel_without_power", "void_round", { observable: false }),
		irregularity("display_is_wrong", "wheel_prevails", { voids: false }),
		irregularity("interference", "void_round"),
		irregularity("ball_broke", "void_affected_rounds"),
		irregularity("too_few_revolutions", "void_round", { observable: false }),
		irregularity("no_spin", "void_round"),
	],
};

function permitted(declare: Record<string, Declarable>): TablePermissions {
	return new TablePermissions({ commands: ["declare"], declare });
}

const ALL: Record<string, Declarable> = {
	wheel_without_power: {},
	interference: {},
	ball_broke: {},
	too_few_revolutions: {},
	no_spin: {},
};
const can = (id: string, declare: Record<string, Declarable>) =>
	listed(sheet, permitted(declare)).find((one) => one.irregularity.id === id)?.can;

describe("the list of irregularities", () => {
	it("omits irregularities that the system declares, and the call of no spin", () => {
		const ids = listed(sheet, permitted(ALL)).map((one) => one.irregularity.id);
		expect(ids).not.toContain("interrupted");
		expect(ids).not.toContain("no_spin");
	});

	it("puts irregularities that are never declared at the end", () => {
		expect(listed(sheet, permitted(ALL)).at(-1)?.irregularity.id).toBe("display_is_wrong");
		expect(can("display_is_wrong", ALL)).toBe("not_declared");
	});

	it.each<[Declarable, string]>([
		[{}, "now"],
		[{ past: "round_is_settled" }, "now"],
		[{ current: "no_round" }, "past"],
		[{ current: "no_round", past: "round_is_settled" }, "no_round"],
		[{ current: "too_late_to_declare", past: "too_late_to_declare" }, "too_late"],
		[{ current: "not_authorised", past: "not_authorised" }, "not_yours"],
		[{ current: "awaiting_decision", past: "awaiting_decision" }, "not_now"],
		[{ current: "spin_has_not_started", past: "round_is_settled" }, "no_spin"],
		[{ current: "against_the_record", past: "round_is_settled" }, "on_record"],
		[{ current: "table_is_stopped", past: "table_is_stopped" }, "not_now"],
	])("shows the server's %j as %s", (declarable, expected) => {
		expect(can("interference", { interference: declarable })).toBe(expected);
	});
});

it("offers observable irregularities that can be declared now", () => {
	expect(visible(sheet, permitted(ALL)).map((one) => one.id)).toEqual(["interference", "ball_broke"]);
	const late = { ...ALL, ball_broke: { current: "no_round" } } as const;
	expect(visible(sheet, permitted(late)).map((one) => one.id)).toEqual(["interference"]);
});

it("makes a readable name from the id", () => {
	expect(nameOf("wheel_not_rotating")).toBe("Wheel not rotating");
});
