/** Tests of formatting and parsing amounts of money. */
import { expect, test } from "vitest";
import { houseCurrency } from "./house_currency.svelte.ts";
import {
	amount,
	exampleAmount,
	inputText,
	money,
	onChip,
	parseCents,
	parsePositiveCents,
	purchaseAmounts,
	shortAmount,
} from "./money.ts";

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
	expect([10, 50, 100, 500, 2_500, 10_000].map((cents) => onChip(cents))).toEqual([
		"0.1",
		"0.5",
		"1",
		"5",
		"25",
		"100",
	]);
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

test("an amount has the decimals of its currency", () => {
	expect(amount(1_234_567, "en", "JPY")).toBe("1,234,567");
	expect(amount(1_234_567, "en", "KWD")).toBe("1,234.567");
	expect(amount(-5, "en", "KWD")).toBe("−0.005");
	expect(amount(12_345, "en", "CLF")).toBe("1.2345");
	expect(amount(Number.MAX_SAFE_INTEGER, "en", "KWD")).toBe("9,007,199,254,740.991");
	expect(money(500, "JPY")).toBe("JPY 500");
	expect(money(1500, "KWD")).toBe("KWD 1.500");
});

test("the decimals are those of ISO 4217 where the browser has others", () => {
	expect(amount(123_456, "en", "AFN")).toBe("1,234.56");
	expect(amount(123_456, "en", "IQD")).toBe("123.456");
});

test("thousands are grouped as in the language of the screen", () => {
	expect(amount(123_456_789, "ta", "JPY")).toBe("12,34,56,789");
	expect(amount(123_456_789, "de", "KWD")).toBe("123.456,789");
});

test("a short amount has no decimals that are zero", () => {
	const short = (cents: number, currency: string) => shortAmount(cents, "en", currency);
	expect([short(500_000, "SGD"), short(500_050, "SGD")]).toEqual(["5,000", "5,000.50"]);
	expect([short(5000, "JPY"), short(5000, "KWD"), short(5050, "KWD")]).toEqual(["5,000", "5", "5.050"]);
});

test("the label of a chip has the decimals of its currency", () => {
	expect([1, 500, 10_000, 1_500_000].map((cents) => onChip(cents, "JPY"))).toEqual(["1", "500", "10k", "1.5M"]);
	expect([5, 250, 1000, 12_500_000].map((cents) => onChip(cents, "KWD"))).toEqual(["0.005", "0.25", "1", "12.5k"]);
});

test.each([
	["500", "JPY", 500],
	["1,500", "JPY", 1500],
	["5.0", "JPY", null],
	["1.5", "KWD", 1500],
	["0.005", "KWD", 5],
	["0.0005", "KWD", null],
	["1.2345", "CLF", 12_345],
])("parses %j in %s as %j minor units", (text, currency, cents) => {
	expect(parsePositiveCents(text, currency)).toBe(cents);
	if (cents !== null) expect(parseCents(inputText(cents, currency), currency)).toBe(cents);
});

test("without a currency, an amount is in that of the house", () => {
	houseCurrency.use("JPY");
	try {
		expect([amount(1500), onChip(1500), inputText(1500), parseCents("1500")]).toEqual(["1,500", "1500", "1500", 1500]);
	} finally {
		houseCurrency.use(undefined);
	}
	expect(amount(1500)).toBe("15.00");
});

test("the example of an amount can be typed", () => {
	for (const currency of ["XXX", "JPY", "KWD", "CLF"]) {
		expect(parsePositiveCents(exampleAmount(currency), currency)).not.toBeNull();
	}
	expect([exampleAmount("SGD"), exampleAmount("JPY"), exampleAmount("KWD")]).toEqual(["12.50", "12", "12.500"]);
});
