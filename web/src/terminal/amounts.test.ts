import { expect, it } from "vitest";
import { amountsOf } from "./amounts.ts";

it("offers sums that fit the chips", () =>
	expect(amountsOf([10, 100, 2500, 10_000, 50_000])).toEqual([2500, 5000, 10_000, 20_000, 50_000, 100_000]));
