import { expect, test } from "vitest";
import { amount, money, onChip } from "./money.ts";

test("an amount has two decimals and its thousands apart", () => {
	expect(amount(0)).toBe("0.00");
	expect(amount(5)).toBe("0.05");
	expect(amount(1_234_567)).toBe("12,345.67");
	expect(amount(-250)).toBe("−2.50");
});

test("play money has no currency", () => {
	expect(money(100, "XXX")).toBe("1.00");
	expect(money(100, "SGD")).toBe("SGD 1.00");
});

test("a chip never shows more than is there", () => {
	expect([10, 50, 100, 500, 2_500, 10_000].map(onChip)).toEqual(["0.1", "0.5", "1", "5", "25", "100"]);
	expect(onChip(999_999)).toBe("9999.99");
	expect(onChip(1_234_567)).toBe("12.34k");
	expect(onChip(199_999_999)).toBe("1.99M");
});
