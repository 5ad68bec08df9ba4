import { expect, it } from "vitest";
import { amountsOf, centsOf } from "./amounts.ts";

it("reads amounts as people type them", () => {
	expect(centsOf("12")).toBe(1200);
	expect(centsOf(" 1,200.5 ")).toBe(120_050);
	expect(centsOf("0.01")).toBe(1);
	for (const wrong of ["", "0", "-5", "1.234", "ten", "1e3", "99999999999"]) expect(centsOf(wrong)).toBeNull();
});

it("offers sums that fit the chips", () =>
	expect(amountsOf([10, 100, 2500, 10_000, 50_000])).toEqual([2500, 5000, 10_000, 20_000, 50_000, 100_000]));
