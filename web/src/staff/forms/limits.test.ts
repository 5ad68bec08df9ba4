/** Tests of converting limits to texts and back. */
import { expect, test } from "vitest";
import { asLimits, asTyped } from "./limits.ts";

test("limits are converted to texts and back without a change", () => {
	const limits = {
		types: { straight: { min: 100, max: 50_050 } },
		positions: { "split:0-00": { max: 20_000 } },
		seat: { min: 100, max: 5_000_000 },
		table: 50_000_000,
	};
	expect(asLimits(asTyped(limits), limits)).toEqual(limits);
});

test("an empty field sets no limit, and an invalid text is returned", () => {
	const form = { seatMin: "", seatMax: "50", table: "", types: [{ type: "line", min: "5", max: "" }] };
	expect(asLimits(form, {})).toEqual({ types: { line: { min: 500 } }, positions: {}, seat: { max: 5000 } });
	expect(asLimits({ ...form, table: "lots" }, {})).toEqual({ bad: "lots" });
});
