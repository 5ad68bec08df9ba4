import { expect, it } from "vitest";
import { centsOf, written } from "./amounts.ts";

it.each([
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
	["", null],
	["fifty", null],
	["99999999999999999", null],
])("reads %j as %j cents", (text, cents) => {
	expect(centsOf(text)).toBe(cents);
});

it("reads nothing as an amount where that is asked for", () => {
	expect([centsOf("0", 0), centsOf("", 0), centsOf("-1", 0)]).toEqual([0, null, null]);
});

it("writes what it reads", () => {
	for (const cents of [1, 29, 100, 1205, 125_000]) expect(centsOf(written(cents))).toBe(cents);
});
