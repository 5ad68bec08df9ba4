import { expect, it } from "vitest";
import { percent } from "./fractions.ts";

it("writes fractions as percentages, rounded half up", () => {
	expect(percent("1/19")).toBe("5.26 %");
	expect(percent("1/38")).toBe("2.63 %");
	expect(percent("1/2")).toBe("50.00 %");
	expect(percent("1")).toBe("100.00 %");
	expect(percent("1/800")).toBe("0.13 %");
	expect(percent("-1/19")).toBe("−5.26 %");
	expect(percent("0")).toBe("0.00 %");
});
