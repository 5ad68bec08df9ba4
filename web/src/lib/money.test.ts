/** Tests of formatting and parsing amounts of money. */
import { expect, test } from "vitest";
import { amount, inputText, money, onChip, parseCents, parsePositiveCents, purchaseAmounts } from "./money.ts";

test("an amount has two decimals and grouped thousands", () => {
	expect(amount(0)).toBe("0.00");
	expect(amount(5)).toBe("0.05");
	expect(amount(1_234_567)).toBe("12,345.67");
	expect(amount(-250)).toBe("−2.50");
});

test("play money has no currency", () => {
	expect(money(100, "XXX")).toBe("1.00");
	expect(money(100, "SGD")).toBe("SGD 1.00");
});

test("the label of a chip is never more than its value", () => {
	expect([10, 50, 100, 500, 2_500, 10_000].map(onChip)).toEqual(["0.1", "0.5", "1", "5", "25", "100"]);
	expect(onChip(999_999)).toBe("9999.99");
	expect(onChip(1_234_567)).toBe("12.34k");
	expect(onChip(199_999_999)).toBe("1.99M");
});

test.each([
	["50", 5000],
	["12.5", 1250],
	["12.05", 1205],
	["1,250.00", 125000],
	[" 7 ", 700],
	["0.29", 29],
	["0", null],
	["-5", null],
	["1.234", null],
	["12,50", null],
	["1 200", null],
	["1e3", null],
	["1,00", null],
	["", null],
	["fifty", null],
	["99999999999999999", null],
])("parses %j as %j cents", (text, cents) => {
	expect(parsePositiveCents(text)).toBe(cents);
});

test("parseCents accepts zero", () => {
	expect([parseCents("0"), parseCents(""), parseCents("-1")]).toEqual([0, null, null]);
});

test("inputText is parsed back to the same amount", () => {
	for (const cents of [1, 29, 100, 1205, 125_000]) expect(parsePositiveCents(inputText(cents))).toBe(cents);
});

test("a limit may be zero", () => {
	expect(parseCents("0")).toBe(0);
	expect(parseCents("0.00")).toBe(0);
	expect(parseCents("-1")).toBeNull();
	expect(inputText(0)).toBe("0");
});

test("the offered amounts of credits are the three largest chips and their doubles", () => {
	expect(purchaseAmounts([10, 100, 2500, 10_000, 50_000])).toEqual([2500, 5000, 10_000, 20_000, 50_000, 100_000]);
});
