/** Tests of the choice of an outcome and its segment. */
import { expect, it } from "vitest";
import { terminals } from "../testing/game_sheets.ts";
import type { WheelInfo } from "../wire.ts";
import { choiceOf, choiceText, isComplete, readingFields } from "./choice.ts";

const wheels = terminals().map((one) => one.wheel);
const money = wheels.find((one) => one.spun === "wheel") as WheelInfo;
const roulette = wheels.find((one) => one.spun === "ball") as WheelInfo;

it("needs no segment at a wheel with a ball, or for a registration", () => {
	expect(isComplete(roulette, "reading", choiceOf(roulette, "reading", "17"))).toBe(true);
	expect(isComplete(money, "registration", choiceOf(money, "registration", "5"))).toBe(true);
	expect(isComplete(money, "registration", null)).toBe(false);
	expect(readingFields(choiceOf(roulette, "reading", "17"))).toEqual({ outcome: "17" });
});

it("waits for the segment of a symbol that the wheel has several times", () => {
	const five = choiceOf(money, "reading", "5");
	expect(isComplete(money, "reading", five)).toBe(false);
	expect(isComplete(money, "reading", { ...five, segment: 4 })).toBe(true);
	expect(readingFields({ ...five, segment: 4 })).toEqual({ outcome: "5", segment: 4 });
	expect(choiceText({ ...five, segment: 4 }, "5")).toBe("5, segment 4");
});

it("sends no segment if it was not read, and says so", () => {
	const five = { outcome: "5", segment: "not_read" } as const;
	expect(isComplete(money, "reading", five)).toBe(true);
	expect(readingFields(five)).toEqual({ outcome: "5" });
	expect(choiceText(five, "5")).toBe("5, segment not read");
});

it("knows the segment of a symbol that the wheel has once, segment 0 too", () => {
	expect(choiceOf(money, "reading", "RWS")).toEqual({ outcome: "RWS", segment: 0 });
	expect(readingFields(choiceOf(money, "reading", "RWS"))).toEqual({ outcome: "RWS", segment: 0 });
	expect(isComplete(money, "reading", choiceOf(money, "reading", "CROCKFORDS"))).toBe(true);
});
