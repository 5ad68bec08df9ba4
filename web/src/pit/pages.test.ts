/** Tests the addresses and the title of the pit desk. */
import { expect, test } from "vitest";
import { parseHash, tableAddress, titleOf } from "./pages.ts";

test("an address names a page or a table, and an unknown address means the tables", () => {
	expect(parseHash("#reports")).toEqual({ page: "reports", table: null, query: "" });
	expect(parseHash("")).toEqual({ page: "tables", table: null, query: "" });
	expect(parseHash("#nowhere/x")).toEqual({ page: "tables", table: null, query: "" });
	expect(parseHash(tableAddress("a/b c"))).toEqual({ page: "tables", table: "a/b c", query: "" });
	expect(parseHash("#table/%")).toEqual({ page: "tables", table: "%", query: "" });
	expect(parseHash("#rounds?table=a%2Fb&column=win")).toEqual({
		page: "rounds",
		table: null,
		query: "table=a%2Fb&column=win",
	});
});

test("the number of waiting items precedes the title", () => {
	expect([titleOf(0, "Pit"), titleOf(3, "Pit")]).toEqual(["Pit", "(3) Pit"]);
});
