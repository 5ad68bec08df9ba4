/** Tests that the words about a wheel do not contradict each other. */
import { expect, it } from "vitest";
import type { WheelUse } from "../wire.ts";
import { backText, rotorText, stateText, useText, useTone, wheelText } from "./wheel_use.ts";

const USES: WheelUse[] = ["ready", "not_ready", "out_of_use", "silent", "not_connected"];
const turning = { state: "place_your_bets", rotor: "clockwise", rotor_decirpm: 143 };

it("names each condition differently", () => {
	expect(new Set(USES.map(useText)).size).toBe(USES.length);
	expect(USES.filter((use) => useTone(use) === "good")).toEqual(["ready"]);
});

it("does not tell players to bet in the name of a wheel's state", () => {
	expect(wheelText({ use: "ready", state: "place_your_bets" })).toBe("Ready · waiting for a launch");
	expect(stateText({ use: "ready", state: "some_new_state" })).toBe("some new state");
});

it.each(["silent", "not_connected"] as const)("shows no old speed of a wheel that is %s", (use) => {
	expect(rotorText({ use, ...turning })).toBe("");
	expect(wheelText({ use, ...turning })).toBe(useText(use));
});

it("shows the speed of a wheel that sends messages", () => {
	expect(rotorText({ use: "out_of_use", ...turning })).toBe("14.3 rpm, clockwise");
	expect(rotorText({ use: "ready", ...turning, rotor_decirpm: 0 })).toBe("still");
	expect(rotorText({ use: "not_ready", ...turning, state: "unknown" })).toBe("");
});

it("says how a wheel comes back into use, by mode", () => {
	expect(backText("out_of_use", "manual")).toContain("bets are next opened");
	expect(backText("out_of_use", "automatic")).toContain("handed back");
	expect(USES.map((use) => backText(use, "manual")).filter(Boolean)).toHaveLength(1);
});
