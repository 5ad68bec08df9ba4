import { expect, test } from "vitest";
import { amount, money, onChip } from "./money.ts";

test("an amount keeps both of its digits and never rounds", () => {
	expect([0, 5, 100, 123_456, -250].map((cents) => amount(cents))).toEqual([
		"0.00",
		"0.05",
		"1.00",
		"1,234.56",
		"−2.50",
	]);
	expect(amount(900_719_925_474_099)).toBe("9,007,199,254,740.99");
});

test("play money has no currency", () => {
	expect([money(100, "XXX"), money(100, "SGD")]).toEqual(["1.00", "SGD 1.00"]);
});

test("a chip shows no more than it is worth", () => {
	expect([50, 100, 250, 99_999, 999_900].map(onChip)).toEqual(["0.5", "1", "2.5", "999.99", "9999"]);
	expect([1_000_000, 1_999_999, 199_999_999].map(onChip)).toEqual(["10k", "19.99k", "1.99M"]);
});
