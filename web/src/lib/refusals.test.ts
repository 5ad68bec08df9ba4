/** Tests of the refusals: every error code has a sentence in every language. */
import { describe, expect, it } from "vitest";
import wire from "../wire.ts?raw";
import { LANGUAGES } from "./i18n.svelte.ts";
import { CATALOGUES, refusalMessage } from "./refusals.ts";

/** The members of a union of string literals in wire.ts. */
function codesOf(union: string): string[] {
	const members = new RegExp(`^export type ${union} = (.+);$`, "m").exec(wire)?.[1] ?? "";
	return [...members.matchAll(/"(\w+)"/g)].map(([, code = ""]) => code);
}

/** The enums that the union of all error codes is made of. */
const UNIONS = (/^export type AnyErrorCode = (.+);$/m.exec(wire)?.[1] ?? "").split(" | ");
const CODES = [...new Set([...UNIONS.flatMap(codesOf), "unreachable"])].sort();

describe("the catalogues", () => {
	it("are checked against all five enums of error codes", () => {
		expect(UNIONS).toHaveLength(5);
	});

	it.each(UNIONS)("are compared with the codes of %s in wire.ts", (union) => {
		expect(codesOf(union).length).toBeGreaterThan(5);
	});

	it.each(LANGUAGES)("%s has one sentence for each error code and no other", (language) => {
		expect(Object.keys(CATALOGUES[language]).sort()).toEqual(CODES);
		for (const sentence of Object.values(CATALOGUES[language])) expect(sentence).toMatch(/\S[.。]$/);
	});

	it.each(LANGUAGES.filter((language) => language !== "en"))("%s differs from English for every code", (language) => {
		for (const code of CODES as (keyof typeof CATALOGUES.en)[])
			expect(CATALOGUES[language][code]).not.toBe(CATALOGUES.en[code]);
	});
});

describe("a refusal message", () => {
	it("has a sentence, the server's detail and the clause", () => {
		expect(refusalMessage({ refusal: "bets_close_before_spin", clause: "3.7" })).toEqual({
			refusal: "bets_close_before_spin",
			sentence: "Bets close before the spin. Close them first.",
			detail: "",
			clause: "3.7",
		});
	});

	it("replaces identifiers in the detail by words", () => {
		const { detail } = refusalMessage({
			refusal: "not_authorised",
			reason: "this command is for pit_manager or shift_manager",
		});
		expect(detail).toBe("this command is for pit manager or shift manager");
	});

	it("shows an unknown code as words", () => {
		expect(refusalMessage({ refusal: "moon_is_full" }).sentence).toBe("moon is full.");
	});
});
