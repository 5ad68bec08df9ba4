import { describe, expect, test } from "vitest";
import { digitsOf, grouped, isWhole } from "./tickets.ts";

describe("numbers of tickets", () => {
	test("keep their digits only", () => {
		expect(digitsOf(" 5370-2583 5102\n")).toBe("537025835102");
	});
	test("are whole with 20 digits", () => {
		expect(isWhole("5370 2583 5102 4643 6745")).toBe(true);
		expect(isWhole("5370 2583 5102 4643 674")).toBe(false);
		expect(isWhole("5370 2583 5102 4643 67451")).toBe(false);
	});
	test("are shown in groups of four", () => {
		expect(grouped("53702583510246436745")).toBe("5370 2583 5102 4643 6745");
	});
});
