/** Tests of the permissions that the server sends. */
import { describe, expect, it } from "vitest";
import { boundsOf, NO_PERMISSIONS, TablePermissions } from "./permissions.ts";

const permissions = new TablePermissions({
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
	it("contain exactly the commands that the server sent", () => {
		expect([permissions.may("open_bets"), permissions.may("close_bets"), permissions.none]).toEqual([
			true,
			false,
			false,
		]);
	});

	it("differ between the round in progress and a settled round", () => {
		expect([permissions.mayName("refer", "current"), permissions.mayName("declare", "current")]).toEqual([true, false]);
		expect([permissions.mayName("declare", "past"), permissions.mayName("open_bets", "past")]).toEqual([true, false]);
	});

	it("show whether a round is in progress", () => {
		expect([permissions.inRound, NO_PERMISSIONS.inRound]).toEqual([true, false]);
	});

	it("show which commands need approval", () => {
		expect([permissions.needsApproval("declare"), permissions.needsApproval("refer")]).toEqual([true, false]);
	});

	it("contain the server's refusal of a declaration, for each kind of round", () => {
		expect(permissions.refusalToDeclare("interference", "current")).toBeNull();
		expect(permissions.refusalToDeclare("ball_broke", "current")).toBe("no_round");
		expect(permissions.refusalToDeclare("ball_broke", "past")).toBeNull();
		expect(permissions.refusalToDeclare("display_is_wrong", "past")).toBeUndefined();
		expect(
			["interference", "ball_broke", "foreign_object", "display_is_wrong"].map((id) => permissions.mayDeclare(id)),
		).toEqual([true, true, false, false]);
	});

	it("are empty before the first message of the server", () => {
		expect([NO_PERMISSIONS.none, NO_PERMISSIONS.may("show")]).toEqual([true, false]);
	});
});

it("looks up the limits of a position, or those of its type", () => {
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
