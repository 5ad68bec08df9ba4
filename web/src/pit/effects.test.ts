import { expect, test } from "vitest";
import type { Command } from "../wire.ts";
import { asked, effect } from "./effects.ts";

test("what was asked for is said as a person would", () => {
	expect(asked({ do: "correct_result", round: 5, outcome: "17" } as Command)).toBe("Correct round 5 to 17");
	expect(asked({ do: "declare", irregularity: "ball_broke", rounds: [4, 5] } as Command)).toBe(
		"Declare for round 4, 5: Ball broke",
	);
	expect(asked({ do: "declare", irregularity: "ball_broke", rounds: null } as Command)).toBe("Declare: Ball broke");
	expect(asked({ do: "decide", round: 3, ruling: "settle", outcome: "0", reason: "seen" } as Command)).toBe(
		"Decide round 3: settle with 0, because “seen”",
	);
});

test("an effect keeps its clauses and every seat's before and after", () => {
	const seats = [{ seat: "1", was: 100, now: 0, credited: 0, taken: 40, shortfall: 60, owes: 60 }];
	const told = effect({ event: "round_corrected.v1", round: 5, was: "18", outcome: "17", clause: "5.5", seats });
	expect(told).toEqual({ words: "Round 5 is corrected from 18 to 17", clauses: ["5.5"], changes: seats });
	const voided = effect({
		event: "round_voided.v1",
		round: 6,
		clauses: ["5.4"],
		returns: "5.9",
		seats: { "1": 500, "2": 250 },
	});
	expect(voided).toEqual({ words: "Round 6 is void: 7.50 go back", clauses: ["5.4", "5.9"], changes: [] });
});
