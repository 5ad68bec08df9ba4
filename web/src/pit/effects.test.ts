/** Tests the descriptions of requests and their effects. */
import { expect, test } from "vitest";
import type { Command } from "../wire.ts";
import { describeCommand, describeEffect } from "./effects.ts";

test("a request is described in one sentence", () => {
	expect(describeCommand({ do: "correct_result", round: 5, outcome: "17" } as Command)).toBe("Correct round 5 to 17");
	expect(describeCommand({ do: "declare", irregularity: "ball_broke", rounds: [4, 5] } as Command)).toBe(
		"Declare for round 4, 5: Ball broke",
	);
	expect(describeCommand({ do: "declare", irregularity: "ball_broke", rounds: null } as Command)).toBe(
		"Declare: Ball broke",
	);
	expect(describeCommand({ do: "decide", round: 3, ruling: "settle", outcome: "0", reason: "seen" } as Command)).toBe(
		"Decide round 3: settle with 0, because “seen”",
	);
});

test("an effect has its clauses and the amounts of every seat before and after", () => {
	const seats = [{ seat: "1", was: 100, now: 0, credited: 0, taken: 40, shortfall: 60, owes: 60 }];
	const corrected = describeEffect({
		event: "round_corrected.v1",
		round: 5,
		was: "18",
		outcome: "17",
		clause: "5.5",
		seats,
	});
	expect(corrected).toEqual({ text: "Round 5 is corrected from 18 to 17", clauses: ["5.5"], changes: seats });
	const voided = describeEffect({
		event: "round_voided.v1",
		round: 6,
		clauses: ["5.4"],
		returns: "5.9",
		seats: { "1": 500, "2": 250 },
	});
	expect(voided).toEqual({ text: "Round 6 is void: 7.50 returned", clauses: ["5.4", "5.9"], changes: [] });
});
