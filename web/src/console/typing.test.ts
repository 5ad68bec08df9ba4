/** Tests the typing of outcomes: the entered pocket is always the one that is shown. */
import { describe, expect, it } from "vitest";
import { interruptedTyping, isTypingKey, NOTHING_TYPED, type Typing, typed, typedPocket } from "./typing.ts";

const ROULETTE = ["0", "00", ...Array.from({ length: 36 }, (_, i) => String(i + 1))];

/** Types keys. A key with a leading `!` is typed while no entry is accepted. */
function type(...keys: string[]): { entered: string[]; shown: (string | null)[]; typing: Typing } {
	let typing = NOTHING_TYPED;
	const [entered, shown]: [string[], (string | null)[]] = [[], []];
	for (const key of keys) {
		const next = typed(typing, key.replace("!", ""), !key.startsWith("!"), ROULETTE);
		if (next.entered !== null) entered.push(next.entered);
		else shown.push(typedPocket(next.typing.text, ROULETTE));
		typing = next.typing;
	}
	return { entered, shown, typing };
}

describe("typing", () => {
	it("enters the number that is shown", () => {
		expect(type("1", "7", "Enter").entered).toEqual(["17"]);
		expect(type("0", "0", "Enter").entered).toEqual(["00"]);
		expect(type("0", "Enter").entered).toEqual(["0"]);
	});

	it("never turns 45 into 4 or 5", () => {
		const { entered, shown, typing } = type("4", "5", "Enter");
		expect(entered).toEqual([]);
		expect(shown).toEqual(["4", null, null]);
		expect(typing.discarded).toEqual({ why: "no_pocket", text: "45" });
	});

	it("discards a number of which a part was typed too early", () => {
		// The 1 of 17 came while the last entry was still on its way. 7 alone must not be entered.
		const { entered, typing } = type("!1", "7", "Enter");
		expect(entered).toEqual([]);
		expect(typing.discarded?.why).toBe("too_early");
		expect(typed(typing, "1", true, ROULETTE).typing.text).toBe("1");
	});

	it("discards keys while entries are not accepted", () => {
		const { entered, typing } = type("5", "Enter", "!5", "!Enter", "1", "2", "Enter");
		expect(entered).toEqual(["5", "12"]);
		expect(typing).toEqual(NOTHING_TYPED);
	});

	it("discards a text that was complete before entries stopped being accepted", () => {
		expect(type("5", "!Enter").entered).toEqual([]);
		expect(type("5", "!Enter", "Enter").entered).toEqual([]);
	});

	it("can be edited and cleared", () => {
		expect(type("3", "6", "Backspace", "Enter").entered).toEqual(["3"]);
		expect(type("3", "6", "Escape", "Enter").entered).toEqual([]);
		expect(type("!3", "Escape", "7", "Enter").entered).toEqual(["7"]);
	});

	it("is made of letters, digits and the keys that edit", () => {
		expect(["1", "s", "Enter", "Escape", "Backspace"].every(isTypingKey)).toBe(true);
		expect(["F5", "Tab", " ", "-", "ArrowUp"].some(isTypingKey)).toBe(false);
	});
});

describe("the typed text", () => {
	it("names the pocket with exactly that name", () => {
		expect(typedPocket("s", ["S", "1"])).toBe("S");
		expect(typedPocket("", ROULETTE)).toBeNull();
	});

	it("names a pocket by the unique beginning of its name", () => {
		expect(typedPocket("c", ["RWS", "CROCKFORDS", "1"])).toBe("CROCKFORDS");
		expect(typedPocket("c", ["CASTLE", "CROCKFORDS"])).toBeNull();
	});
});

it("spoils a number whose entry was replaced while it was typed", () => {
	const half = { ...NOTHING_TYPED, text: "1" };
	expect(interruptedTyping(half).spoiled).toBe(true);
	expect(interruptedTyping(NOTHING_TYPED)).toEqual(NOTHING_TYPED);
	const rest = typed(interruptedTyping(half), "2", true, ROULETTE).typing;
	expect(typed(rest, "Enter", true, ROULETTE)).toMatchObject({ entered: null, typing: { spoiled: false } });
});
