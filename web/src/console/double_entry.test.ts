/** Tests the double entry of results and the typing of pockets. */
import { describe, expect, it } from "vitest";
import { entered, NOTHING_ENTERED, typedAfter, typedPocket } from "./double_entry.ts";

describe("a result", () => {
	it("is agreed after two equal entries", () => {
		const once = entered(NOTHING_ENTERED, "17", null);
		expect(once).toEqual({ entry: { first: "17", differed: null }, agreed: null });
		expect(entered(once.entry, "17", null)).toEqual({ entry: NOTHING_ENTERED, agreed: "17" });
	});

	it("starts again after two different entries and reports both", () => {
		const once = entered(NOTHING_ENTERED, "17", null);
		const twice = entered(once.entry, "18", null);
		expect(twice).toEqual({ entry: { first: null, differed: ["17", "18"] }, agreed: null });
		// The third entry is a first entry again.
		expect(entered(twice.entry, "18", null).agreed).toBeNull();
	});

	it("is agreed after one entry that equals the reading on record", () => {
		expect(entered(NOTHING_ENTERED, "17", "17").agreed).toBe("17");
	});

	it("needs two entries if it differs from the reading on record", () => {
		const once = entered(NOTHING_ENTERED, "18", "17");
		expect(once.agreed).toBeNull();
		expect(entered(once.entry, "18", "17").agreed).toBe("18");
		expect(entered(once.entry, "17", "17").entry.differed).toEqual(["18", "17"]);
	});

	it("distinguishes 0 from 00", () => {
		expect(entered(entered(NOTHING_ENTERED, "0", null).entry, "00", null).agreed).toBeNull();
	});
});

describe("typing", () => {
	const roulette = ["0", "00", "S", "1", "2", "3", "10", "36"];

	it("finds the pocket with exactly that name", () => {
		expect(typedPocket("0", roulette)).toBe("0");
		expect(typedPocket("00", roulette)).toBe("00");
		expect(typedPocket("s", roulette)).toBe("S");
		expect(typedPocket("", roulette)).toBeNull();
	});

	it("finds a pocket by the unique beginning of its name", () => {
		expect(typedPocket("c", ["RWS", "CROCKFORDS", "1"])).toBe("CROCKFORDS");
		expect(typedPocket("c", ["CASTLE", "CROCKFORDS"])).toBeNull();
	});

	it("accepts only keys that lead to a pocket", () => {
		expect(typedAfter("", "3", roulette)).toBe("3");
		expect(typedAfter("3", "6", roulette)).toBe("36");
		expect(typedAfter("3", "7", roulette)).toBeNull();
		expect(typedAfter("36", "Backspace", roulette)).toBe("3");
		expect(typedAfter("36", "Escape", roulette)).toBe("");
		expect(typedAfter("", "F5", roulette)).toBeNull();
		expect(typedAfter("", "x", roulette)).toBeNull();
	});
});
