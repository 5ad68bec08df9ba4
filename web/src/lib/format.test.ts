import { expect, test } from "vitest";
import {
	capital,
	csv,
	hoursAndMinutes,
	instant,
	percent,
	plain,
	positionName,
	sentence,
	span,
	spoken,
} from "./format.ts";

test("a position is named by its type and its numbers", () => {
	expect(positionName("corner:25-26-28-29")).toBe("Corner 25-26-28-29");
	expect(positionName("top_line")).toBe("Top line");
	expect(positionName("symbol:RWS")).toBe("Symbol RWS");
});

test("identifiers become words", () => {
	expect(sentence("round_corrected.v1")).toBe("Round corrected");
	expect(spoken("round 4 was interrupted in bets_open, 5.00 on split:0-00")).toBe(
		"round 4 was interrupted in bets open, 5.00 on split:0-00",
	);
});

test("a duration is shown in one unit", () => {
	expect([40_000, 720_000, 3 * 3_600_000, 50 * 3_600_000, -5].map(span)).toEqual([
		"40 s",
		"12 min",
		"3 h",
		"2 days",
		"0 s",
	]);
});

test("CSV quotes cells and disarms formulas", () => {
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

test("plain text keeps its words and capital changes only the first letter", () => {
	expect(plain("table_opened.v1")).toBe("table opened");
	expect(capital("two words")).toBe("Two words");
});

test("a time of another day shows its date", () => {
	const now = new Date(2026, 4, 7, 12, 0, 0).getTime();
	expect(instant(new Date(2026, 4, 7, 9, 5, 3).getTime(), now)).toBe("09:05:03");
	expect(instant(new Date(2026, 4, 6, 23, 59, 0).getTime(), now)).toBe("6 May 2026, 23:59:00");
});

test("a session's duration is shown in hours and minutes", () => {
	expect([0, 59_999, 65 * 60_000].map(hoursAndMinutes)).toEqual(["0:00", "0:00", "1:05"]);
});

test("a fraction is shown as a percentage, rounded half up", () => {
	expect(percent("1/19")).toBe("5.26 %");
	expect(percent("1/38")).toBe("2.63 %");
	expect(percent("1/2")).toBe("50.00 %");
	expect(percent("1")).toBe("100.00 %");
	expect(percent("1/800")).toBe("0.13 %");
	expect(percent("-1/19")).toBe("−5.26 %");
	expect(percent("0")).toBe("0.00 %");
});
