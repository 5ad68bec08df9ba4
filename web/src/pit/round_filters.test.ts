/** Tests the filters, addresses and sums of a list of rounds. */
import { expect, test } from "vitest";
import type { RoundRow } from "../wire.ts";
import { contribution, filtersOf, isMovements, roundsAddress, total, withFilters } from "./round_filters.ts";

const rows = [
	{ amount: null, exact: "1750/19" },
	{ amount: null, exact: "-1000/19" },
] as RoundRow[];

test("filters are in the address, and what the form does not show is kept", () => {
	const query = "dealer=dee&from=2026-11-16&column=win";
	const filters = { ...filtersOf(query), from: "", seat: " a " };
	expect(withFilters(query, filters)).toBe("dealer=dee&column=win&seat=a");
});

test("the list without a column begins with the latest round", () => {
	expect(roundsAddress("", null)).toBe("/api/rounds?newest=true");
	expect(roundsAddress("column=win", "1.2.t")).toBe("/api/rounds?column=win&after=1.2.t");
	expect(roundsAddress("column=drop&table=t", null)).toBe("/api/movements?column=drop&table=t");
	expect([isMovements("tickets_out"), isMovements("win"), isMovements(null)]).toEqual([true, false, false]);
});

test("fractions are added exactly and rounded once", () => {
	expect(rows.map((row) => contribution(row, "theoretical_win"))).toEqual(["0.92", "−0.53"]);
	// 750/19 is 39.47 cents. The rounded parts would add up to 39 as well, those of thirds would not.
	expect(total(rows, "theoretical_win")).toBe("0.39");
	const thirds = ["1/3", "1/3", "1/3"].map((exact) => ({ amount: null, exact }) as RoundRow);
	expect(total(thirds, "theoretical_win")).toBe("0.01");
	const nothing = ["1/3", "-1/3"].map((exact) => ({ amount: null, exact }) as RoundRow);
	expect(total(nothing, "theoretical_win")).toBe("0.00");
});

test("counts have no decimals, amounts have the decimals of the currency", () => {
	const counted = [{ amount: -1, exact: null } as RoundRow];
	expect([total(counted, "rounds"), total(counted, "win")]).toEqual(["−1", "−0.01"]);
});
