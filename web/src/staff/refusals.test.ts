import { describe, expect, it } from "vitest";
import { Refused } from "../lib/api.ts";
import { sayingOf, sayingOfError } from "./refusals.ts";

describe("a refusal in words", () => {
	it("has its sentence, what the table adds, and its clause", () => {
		expect(sayingOf({ refusal: "bets_close_before_spin", clause: "3.7" })).toEqual({
			refusal: "bets_close_before_spin",
			sentence: "Bets close before the spin. Close them first.",
			detail: "",
			clause: "3.7",
		});
	});

	it("names positions as people do", () => {
		const { detail } = sayingOf({ refusal: "not_authorised", reason: "this is for pit_manager or shift_manager" });
		expect(detail).toBe("this is for pit manager or shift manager");
	});

	it("is readable even for a word that this screen does not know yet", () => {
		expect(sayingOf({ refusal: "moon_is_full" }).sentence).toBe("moon is full.");
	});

	it("comes out of what an HTTP request failed with", () => {
		const error = new Refused(401, "wrong_name_or_password", "", { clause: null });
		expect(sayingOfError(error).sentence).toMatch(/^The name or the password is wrong/);
	});
});
