import { expect, it } from "vitest";
import { boundsOf, boundsOfSeat } from "./limits.ts";

const limits = {
	seat: { min: 100, max: 500_000 },
	types: { straight: { min: 50, max: 10_000 } },
	positions: { "straight:17": { min: 200, max: 300 } },
};

it("takes a position's own bounds before those of its type, and never less than the least of any bet", () => {
	expect(boundsOf(limits, { id: "straight:17", type: "straight" })).toEqual({ min: 200, max: 300 });
	expect(boundsOf(limits, { id: "straight:1", type: "straight" })).toEqual({ min: 100, max: 10_000 });
	expect(boundsOf(limits, { id: "red", type: "red" })).toEqual({ min: 100, max: null });
	expect(boundsOfSeat(limits)).toEqual({ min: 100, max: 500_000 });
	expect(boundsOfSeat({})).toEqual({ min: 1, max: null });
});
