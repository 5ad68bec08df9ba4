/** Tests of the address of a round in recall. */
import { expect, test } from "vitest";
import { addressOf, placeOf } from "./recall_link.ts";

test("the address contains the table and the round, and invalid rounds are ignored", () => {
	expect(placeOf("?table=roulette-1&round=12")).toEqual({ table: "roulette-1", round: 12 });
	expect(placeOf("?table=a&round=1.5")).toEqual({ table: "a", round: null });
	expect(placeOf("?round=-3")).toEqual({ table: null, round: null });
	expect(placeOf(addressOf({ table: "a b&c", round: 7 }))).toEqual({ table: "a b&c", round: 7 });
	expect(addressOf({ table: null, round: null })).toBe("?");
});
