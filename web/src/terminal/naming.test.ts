/** Tests the names of bets. */
import { expect, it } from "vitest";
import type { PositionInfo } from "../wire.ts";
import { nameOf, neighboursIn } from "./naming.ts";

const position = (id: string, covers: string[], row = "4.1 / Row") => ({ id, covers, row }) as PositionInfo;

it("names a bet by its kind and its numbers", () => {
	expect(nameOf(position("split:0-00", ["0", "00"]), "Split", undefined)).toBe("Split 0 · 00");
	expect(nameOf(position("red", ["1", "3"]), "Red", "Red")).toBe("Red");
	expect(nameOf(position("dozen:1", "1 2 3 4 5 6 7 8 9 10 11 12".split(" ")), "Dozen", "1st 12")).toBe("Dozen 1–12");
	expect(nameOf(position("column:1", "1 4 7 10 13 16 19 22 25 28 31 34".split(" ")), "Column", "2 to 1")).toBe(
		"Column 1 · 4 … 34",
	);
});

it("names a bet without a type name by its layout label, or else by its pay table row", () => {
	expect(nameOf(position("symbol:20", ["20"]), undefined, "SGD 20")).toBe("SGD 20");
	expect(nameOf(position("new:1", ["1"]), undefined, undefined)).toBe("Row");
});

it("tells neighbour bets from other packages", () => {
	expect(neighboursIn("neighbours:00:2")).toEqual({ pocket: "00", n: "2" });
	expect(neighboursIn("finales:3")).toBeNull();
	expect(neighboursIn("tiers")).toBeNull();
});
