/** Tests saving and loading of favourite bets. */
import { expect, it } from "vitest";
import { onLayout, saved, without } from "./favourites.ts";

it("saves one favourite for each name, and at most twelve", () => {
	const one = saved([], "Reds", { red: 100 });
	expect(saved(one, " Reds ", { red: 200 })).toEqual([{ name: "Reds", bets: { red: 200 } }]);
	let many = one;
	for (let i = 0; i < 20; i += 1) many = saved(many, `n${i}`, {});
	expect(many).toHaveLength(12);
	expect(many.at(-1)?.name).toBe("n19");
	expect(without(one, "Reds")).toEqual([]);
});

it("names a favourite that has no name", () => expect(saved([], "  ", {})[0]?.name).toBe("1"));

it("does not choose a name that is in use", () => {
	const all = ["1", "2", "3"].map((name) => ({ name, bets: { red: 100 } }));
	expect(saved(without(all, "1"), "", {}).map((one) => one.name)).toEqual(["2", "3", "4"]);
});

it("leaves out bets that are not on the layout", () =>
	expect(onLayout({ name: "x", bets: { red: 100, gone: 5 } }, new Set(["red"]))).toEqual({
		bets: { red: 100 },
		missing: 1,
	}));
