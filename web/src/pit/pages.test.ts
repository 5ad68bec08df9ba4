import { expect, test } from "vitest";
import { atOf, tableAddress, titleOf } from "./pages.ts";

test("an address names a page or a table, and nonsense names the tables", () => {
	expect(atOf("#reports")).toEqual({ page: "reports", table: null });
	expect(atOf("")).toEqual({ page: "tables", table: null });
	expect(atOf("#nowhere/x")).toEqual({ page: "tables", table: null });
	expect(atOf(tableAddress("a/b c"))).toEqual({ page: "tables", table: "a/b c" });
	expect(atOf("#table/%")).toEqual({ page: "tables", table: "%" });
});

test("what waits stands before the title", () => {
	expect([titleOf(0, "Pit"), titleOf(3, "Pit")]).toEqual(["Pit", "(3) Pit"]);
});
