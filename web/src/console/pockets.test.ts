import { expect, it } from "vitest";
import { keyRows, spoken } from "./pockets.ts";

it("puts zeros and symbols apart, and numbers in the order of counting", () => {
	expect(keyRows(["0", "00", "S", "1", "2", "10"])).toEqual({ apart: ["0", "00", "S"], numbers: ["1", "2", "10"] });
	expect(keyRows(["RWS", "20", "10", "1"])).toEqual({ apart: ["RWS"], numbers: ["1", "10", "20"] });
});

it("says the colour where there is one", () => {
	expect(spoken({ colours: { "17": "black" } }, "17")).toBe("17 black");
	expect(spoken({ colours: {} }, "RWS")).toBe("RWS");
});
