/** Tests the addresses and the title of the pit desk. */
import { expect, test } from "vitest";
import { parseHash, tableAddress, titleOf } from "./pages.ts";

test("an address names a page or a table, and an unknown address means the tables", () => {
	expect(parseHash("#reports")).toEqual({ page: "reports", table: null });
	expect(parseHash("")).toEqual({ page: "tables", table: null });
	expect(parseHash("#nowhere/x")).toEqual({ page: "tables", table: null });
	expect(parseHash(tableAddress("a/b c"))).toEqual({ page: "tables", table: "a/b c" });
	expect(parseHash("#table/%")).toEqual({ page: "tables", table: "%" });
});

test("the number of waiting items precedes the title", () => {
	expect([titleOf(0, "Pit"), titleOf(3, "Pit")]).toEqual(["Pit", "(3) Pit"]);
});
