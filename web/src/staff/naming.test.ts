import { expect, test } from "vitest";
import { csv, positionName, sentence, span, spoken } from "./naming.ts";

test("positions are said as people say them", () => {
	expect(positionName("corner:25-26-28-29")).toBe("Corner 25-26-28-29");
	expect(positionName("top_line")).toBe("Top line");
	expect(positionName("symbol:RWS")).toBe("Symbol RWS");
});

test("words of programs lose their marks", () => {
	expect(sentence("round_corrected.v1")).toBe("Round corrected");
	expect(spoken("round 4 was interrupted in bets_open, 5.00 on split:0-00")).toBe(
		"round 4 was interrupted in bets open, 5.00 on split:0-00",
	);
});

test("spans are short", () => {
	expect([40_000, 720_000, 3 * 3_600_000, 50 * 3_600_000, -5].map(span)).toEqual([
		"40 s",
		"12 min",
		"3 h",
		"2 days",
		"0 s",
	]);
});

test("a spreadsheet takes nothing for a formula, and reads back what was written", () => {
	expect(
		csv(
			["a", "b"],
			[
				['say "x", y', 1],
				["=1+1", null],
				["-5", -5],
			],
		),
	).toBe('a,b\r\n"say ""x"", y",1\r\n\'=1+1,\r\n\'-5,-5\r\n');
});
