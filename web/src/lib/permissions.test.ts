import { describe, expect, it } from "vitest";
import { boundsOf, NO_PERMISSIONS, TablePermissions } from "./permissions.ts";

const told = new TablePermissions({
	commands: ["declare", "open_bets", "refer"],
	current: ["refer"],
	past: ["declare", "refer"],
	approval: ["declare"],
	declare: {
		interference: {},
		ball_broke: { current: "no_round" },
		foreign_object: { current: "too_late_to_declare", past: "round_is_settled" },
	},
});

describe("permissions", () => {
	it("are exactly the commands that the server names", () => {
		expect([told.may("open_bets"), told.may("close_bets"), told.none]).toEqual([true, false, false]);
	});

	it("tell the round in progress from a settled one", () => {
		expect([told.mayName("refer", "current"), told.mayName("declare", "current")]).toEqual([true, false]);
		expect([told.mayName("declare", "past"), told.mayName("open_bets", "past")]).toEqual([true, false]);
	});

	it("tell whether there is a round in progress", () => {
		expect([told.inRound, NO_PERMISSIONS.inRound]).toEqual([true, false]);
	});

	it("tell what needs a second person", () => {
		expect([told.needsApproval("declare"), told.needsApproval("refer")]).toEqual([true, false]);
	});

	it("give the server's refusal of a declaration, for each kind of round", () => {
		expect(told.refusalToDeclare("interference", "current")).toBeNull();
		expect(told.refusalToDeclare("ball_broke", "current")).toBe("no_round");
		expect(told.refusalToDeclare("ball_broke", "past")).toBeNull();
		expect(told.refusalToDeclare("display_is_wrong", "past")).toBeUndefined();
		expect(
			["interference", "ball_broke", "foreign_object", "display_is_wrong"].map((id) => told.mayDeclare(id)),
		).toEqual([true, true, false, false]);
	});

	it("are none before the server has said anything", () => {
		expect([NO_PERMISSIONS.none, NO_PERMISSIONS.may("show")]).toEqual([true, false]);
	});
});

it("looks up the limits of a position, and works nothing out", () => {
	const limits = {
		seat: { min: 100, max: null },
		types: { straight: { min: 100, max: 10_000 } },
		positions: { "straight:17": { min: 200, max: 300 } },
	};
	expect(boundsOf(limits, { id: "straight:17", type: "straight" })).toEqual({ min: 200, max: 300 });
	expect(boundsOf(limits, { id: "straight:1", type: "straight" })).toEqual({ min: 100, max: 10_000 });
	expect(boundsOf(limits, { id: "red", type: "red" })).toBeNull();
	expect(boundsOf(null, { id: "red", type: "red" })).toBeNull();
});
