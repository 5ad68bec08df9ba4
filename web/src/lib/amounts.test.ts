import { expect, it } from "vitest";
import { centsOf, typed, written } from "./amounts.ts";

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
	["1,00", null],
	["", null],
	["fifty", null],
	["99999999999999999", null],
])("reads %j as %j cents", (text, cents) => {
	expect(centsOf(text)).toBe(cents);
});

it("reads nothing as an amount where that is asked for", () => {
	expect([typed("0"), typed(""), typed("-1")]).toEqual([0, null, null]);
});

it("writes what it reads", () => {
	for (const cents of [1, 29, 100, 1205, 125_000]) expect(centsOf(written(cents))).toBe(cents);
});

it("takes nothing for an amount where a limit may be nothing", () => {
	expect(typed("0")).toBe(0);
	expect(typed("0.00")).toBe(0);
	expect(typed("-1")).toBeNull();
	expect(written(0)).toBe("0");
});
