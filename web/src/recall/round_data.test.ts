/** Tests how a past round is prepared for display. */
import { expect, test } from "vitest";
import type { ExplainedBet, GameInfo, RoundStory, Step, Verdict } from "../wire.ts";
import { bySeat, layoutOf, neighboursOf, statusOf, sumBets, timeSince } from "./round_data.ts";

const step = (at: number): Step => ({
	entry: 1,
	at,
	by: "Dealer",
	did: "",
	clauses: [],
	seat: null,
	refused: null,
	who: null,
	second: null,
});
const bet = (seat: string, position: string, staked: number, returned: number): ExplainedBet => ({
	seat,
	position,
	staked,
	returned,
	result: returned ? "won" : "lost",
	clauses: [],
});
const verdict = (outcome: string | null, bets: ExplainedBet[] = []): Verdict => ({
	entry: 9,
	at: 0,
	words: "",
	outcome,
	clauses: [],
	bets,
	changes: [],
	disagrees: [],
});
const story = (...verdicts: Verdict[]): RoundStory => ({ verdicts }) as RoundStory;

test("the time of a step counts from the first step, also past midnight", () => {
	const moment = (text: string) => step(Date.parse(`${text}Z`));
	const first = moment("2026-12-31T23:59:59.500");
	expect(timeSince(first, first)).toBe("+0.000 s");
	expect(timeSince(first, moment("2027-01-01T00:00:03.503"))).toBe("+4.003 s");
	expect(timeSince(first, moment("2027-01-01T00:02:04.500"))).toBe("+2:05 min");
	expect(timeSince(first, moment("2027-01-01T02:00:00.500"))).toBe("+2:00:01 h");
	expect(timeSince(first, moment("2027-01-02T00:00:00.000"))).toBe("");
	expect(timeSince(first, moment("2026-12-31T23:59:59.499"))).toBe("");
});

test("the last verdict decides the status of a round", () => {
	expect(statusOf(story())).toBe("in_progress");
	expect(statusOf(story(verdict("17")))).toBe("settled");
	expect(statusOf(story(verdict(null)))).toBe("void");
	expect(statusOf(story(verdict("17"), verdict("18")))).toBe("corrected");
	expect(statusOf(story(verdict("17"), verdict("18"), verdict(null)))).toBe("reversed");
});

test("a seat's amounts are the sums of its bets", () => {
	const bets = [bet("1", "red", 500, 1000), bet("2", "red", 100, 200), bet("1", "odd", 300, 0)];
	expect(bySeat(bets).map(({ seat, staked, returned }) => [seat, staked, returned])).toEqual([
		["1", 800, 1000],
		["2", 100, 200],
	]);
	expect(sumBets([{ red: 1, odd: 2 }, { red: 3 }])).toEqual({ red: 4, odd: 2 });
});

test("neighbours wrap around the wheel", () => {
	expect(neighboursOf(["0", "1", "2", "3", "4"], "0", 2)).toEqual(["3", "4", "0", "1", "2"]);
	expect(neighboursOf(["0", "1", "2"], "2", 5)).toEqual(["1", "2", "0"]);
	expect(neighboursOf(["0", "1"], "9", 1)).toEqual([]);
});

test("a seat's layout is that of its terminal, or else the layout that has its bets", () => {
	const game = { layouts: ["A", "B"], terminals: [{ id: "rapid-b", layout: "B" }] } as GameInfo;
	expect(layoutOf(game, "rapid-b", () => false)).toBe("B");
	expect(layoutOf(game, undefined, (layout) => layout === "B")).toBe("B");
	expect(layoutOf(game, undefined, () => false)).toBe("A");
});
