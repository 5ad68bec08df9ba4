/** Tests of the formatting functions. */
import { expect, test } from "vitest";
import {
	capital,
	clockIn,
	csv,
	dayIn,
	fieldOf,
	hoursAndMinutes,
	instant,
	instantOf,
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

test("CSV quotes cells and marks formulas as text", () => {
	expect(
		csv(
			["a", "b"],
			[
				['say "x", y', 1],
				["=1+1", null],
				["-5", -5],
				["-x", "1/2"],
			],
		),
	).toBe('a,b\r\n"say ""x"", y",1\r\n\'=1+1,\r\n-5,-5\r\n\'-x,1/2\r\n');
});

test("plain removes the version, and capital changes only the first letter", () => {
	expect(plain("table_opened.v1")).toBe("table opened");
	expect(capital("two words")).toBe("Two words");
});

test("a time is shown with its zone, and with its date unless it is today", () => {
	const now = Date.UTC(2026, 4, 7, 12, 0, 0);
	expect(instant(Date.UTC(2026, 4, 7, 9, 5, 3), now, "UTC")).toBe("09:05:03 UTC");
	expect(instant(Date.UTC(2026, 4, 6, 23, 59, 0), now, "UTC")).toBe("6 May 2026, 23:59:00 UTC");
	// Both instants are on 7 May in Singapore; the second is still on 6 May in New York.
	expect(instant(Date.UTC(2026, 4, 6, 23, 59, 0), now, "Asia/Singapore")).toBe("07:59:00 GMT+8");
	expect(instant(Date.UTC(2026, 4, 7, 2, 0, 0), now, "America/New_York")).toBe("6 May 2026, 22:00:00 GMT-4");
});

test("the date and the time of day depend on the zone", () => {
	const at = 1_700_000_000_250;
	expect([dayIn("UTC", at), clockIn("UTC", at)]).toEqual(["2023-11-14", "22:13:20.250"]);
	expect([dayIn("Asia/Singapore", at), clockIn("Asia/Singapore", at)]).toEqual(["2023-11-15", "06:13:20.250"]);
	expect(clockIn("UTC", Date.UTC(2026, 0, 1))).toBe("00:00:00.000");
});

test("a field shows the time in the zone and is parsed back to the same instant", () => {
	const at = Date.UTC(2026, 9, 24, 21, 30);
	for (const zone of ["UTC", "Asia/Singapore", "Asia/Kathmandu", "Europe/Berlin", "America/New_York"])
		for (let hour = 0; hour < 48; hour += 1) {
			const instant = at + hour * 3_600_000;
			// Berlin repeats an hour on the 25th, so the field may mean either of two instants.
			const back = instantOf(fieldOf(instant, zone), zone);
			expect(fieldOf(back, zone)).toBe(fieldOf(instant, zone));
			if (zone !== "Europe/Berlin") expect(back).toBe(instant);
		}
	expect(fieldOf(at, "Asia/Singapore")).toBe("2026-10-25T05:30");
	expect(instantOf("2026-10-25T05:30", "Asia/Singapore")).toBe(at);
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
