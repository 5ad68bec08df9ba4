import { describe, expect, it } from "vitest";
import type { Effect, IrregularityInfo, Phase, Until } from "../wire.ts";
import { listed, nameOf, visible } from "./irregularities.ts";

type By = IrregularityInfo["declared_by"];
function irregularity(id: string, effect: Effect, until: Until, by: By, voids = true): IrregularityInfo {
	return { id, clause: "5.1", words: id, effect, until, declared_by: by, voids };
}

const sheet = {
	irregularities: [
		irregularity("interrupted", "void_round", "settlement", ["system"]),
		irregularity("wheel_without_power", "void_round", "rest", ["system", "dealer"]),
		irregularity("display_is_wrong", "wheel_prevails", "any_time", ["dealer"], false),
		irregularity("interference", "void_round", "settlement", ["dealer", "pit_manager"]),
		irregularity("foreign_object", "void_round", "rest", ["dealer"]),
		irregularity("ball_broke", "void_affected_rounds", "any_time", ["dealer"]),
		irregularity("too_few_revolutions", "void_round", "settlement", ["dealer"]),
		irregularity("no_spin", "void_round", "settlement", ["dealer"]),
	],
};
const can = (phase: Phase, id: string, positions: ("dealer" | "pit_manager")[] = ["dealer"]) =>
	listed(sheet, phase, positions).find((one) => one.irregularity.id === id)?.can;

describe("the list of irregularities", () => {
	it("leaves out what the system acts on, and the call that has a button of its own", () => {
		const ids = listed(sheet, "spinning", ["dealer"]).map((one) => one.irregularity.id);
		expect(ids).not.toContain("interrupted");
		expect(ids).not.toContain("no_spin");
	});

	it("has what people may declare as well as the system", () => {
		expect([can("spinning", "wheel_without_power"), can("at_rest", "wheel_without_power")]).toEqual([
			"now",
			"too_late",
		]);
	});

	it("puts what is not declared at the end", () => {
		expect(listed(sheet, "spinning", ["dealer"]).at(-1)?.irregularity.id).toBe("display_is_wrong");
		expect(can("spinning", "display_is_wrong")).toBe("not_declared");
	});

	it.each([
		["bets_open", "now", "now", "now"],
		["spinning", "now", "now", "now"],
		["at_rest", "now", "too_late", "now"],
		["registered", "now", "too_late", "now"],
		["idle", "no_round", "no_round", "past"],
		["closed", "no_round", "no_round", "past"],
		["stopped", "no_round", "no_round", "no_round"],
	] as [Phase, string, string, string][])("in %s", (phase, interference, object, broke) => {
		expect([can(phase, "interference"), can(phase, "foreign_object"), can(phase, "ball_broke")]).toEqual([
			interference,
			object,
			broke,
		]);
	});

	it("shows what another position declares, and does not offer it", () => {
		expect(can("spinning", "foreign_object", ["pit_manager"])).toBe("not_yours");
		expect(can("spinning", "interference", ["pit_manager"])).toBe("now");
	});
});

it("lets be ticked what was seen, and not what follows from what was measured", () => {
	expect(visible(sheet, ["dealer"]).map((one) => one.id)).toEqual(["interference", "foreign_object", "ball_broke"]);
});

it("names an irregularity as people write it", () => {
	expect(nameOf("wheel_not_rotating")).toBe("Wheel not rotating");
});
