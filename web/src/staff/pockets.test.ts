/** Tests of the arrangement of pockets on a keypad. */
import { expect, it } from "vitest";
import { keyRows, spoken } from "./pockets.ts";

it("puts zeros and symbols first, and sorts numbers", () => {
	const numbers = Array.from({ length: 36 }, (_, index) => `${36 - index}`);
	const [apart, rest] = keyRows(["0", "00", "S", ...numbers]);
	expect(apart).toEqual({ pockets: ["0", "00", "S"], columns: 3, lowColumns: 3 });
	expect(rest?.pockets.slice(0, 3)).toEqual(["1", "2", "3"]);
	expect(rest?.pockets).toHaveLength(36);
	expect([rest?.columns, rest?.lowColumns]).toEqual([6, 9]);
});

it("puts a few pockets in two columns, with the last odd one alone", () => {
	expect(keyRows(["RWS", "20", "1"])).toEqual([
		{ pockets: ["RWS", "20"], columns: 2, lowColumns: 2 },
		{ pockets: ["1"], columns: 1, lowColumns: 1 },
	]);
	expect(keyRows(["a", "b"])).toEqual([{ pockets: ["a", "b"], columns: 2, lowColumns: 2 }]);
});

it("has one key for every pocket", () => {
	const pockets = ["0", "000", ...Array.from({ length: 36 }, (_, index) => `${index + 1}`)];
	expect(
		keyRows(pockets)
			.flatMap((row) => row.pockets)
			.sort(),
	).toEqual([...pockets].sort());
});

it("includes the colour if there is one", () => {
	expect(spoken({ colours: { "17": "black" } }, "17")).toBe("17 black");
	expect(spoken({ colours: {} }, "RWS")).toBe("RWS");
});
