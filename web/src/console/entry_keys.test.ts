/** Tests of the keys of an entry. */
import { expect, it } from "vitest";
import { terminals } from "../testing/game_sheets.ts";
import type { WheelInfo } from "../wire.ts";
import type { Choice } from "./choice.ts";
import { type KeyedEntry, pressKey, typingFault } from "./entry_keys.ts";
import { NOTHING_TYPED } from "./typing.ts";

const wheels = terminals().map((one) => one.wheel);
const money = wheels.find((one) => one.spun === "wheel") as WheelInfo;
const roulette = wheels.find((one) => one.spun === "ball") as WheelInfo;

function reading(wheel: WheelInfo, pockets: readonly string[] = wheel.pockets): KeyedEntry {
	return { wheel, act: "reading", pockets, chosen: null, typing: NOTHING_TYPED, enabled: true };
}

/** Presses keys. Returns the entry after the last one, and every choice that was sent. */
function press(entry: KeyedEntry, ...keys: string[]): { now: KeyedEntry; sent: (Choice | null)[] } {
	let now = entry;
	const sent: (Choice | null)[] = [];
	for (const key of keys) {
		const pressed = pressKey(now, { key, repeat: false, on: null });
		if (pressed === null) continue;
		if (pressed.sends) sent.push(pressed.chosen);
		now = { ...now, typing: pressed.typing, chosen: pressed.chosen };
	}
	return { now, sent };
}

it("sends the number that is shown when Enter is pressed", () => {
	const { now, sent } = press(reading(roulette), "1", "7");
	expect(now.chosen?.outcome).toBe("17");
	expect(sent).toEqual([]);
	expect(press(now, "Enter").sent).toEqual([{ outcome: "17", segment: null }]);
});

it("enters only pockets among those offered", () => {
	const { now, sent } = press(reading(roulette, ["17", "18"]), "1", "9", "Enter");
	expect(sent).toEqual([]);
	expect(typingFault(now.typing, ["17", "18"])).toContain("19 is not on this wheel. Nothing was sent.");
});

it("leaves Enter on a button to the browser, and typing in a field", () => {
	const chosen = press(reading(roulette), "1", "7").now;
	const touched = { ...chosen, typing: NOTHING_TYPED };
	expect(pressKey(touched, { key: "Enter", repeat: false, on: "button" })).toBeNull();
	expect(pressKey(touched, { key: "Enter", repeat: false, on: null })?.sends).toBe(true);
	// A typed number is sent although a key of the keypad has the focus.
	expect(pressKey(chosen, { key: "Enter", repeat: false, on: "button" })?.sends).toBe(true);
	expect(pressKey(chosen, { key: "1", repeat: false, on: "field" })).toBeNull();
	expect(pressKey(chosen, { key: "Enter", repeat: true, on: null })).toBeNull();
});

it("asks for the segment of a symbol before it is sent", () => {
	const { now, sent } = press(reading(money), "5", "Enter");
	expect(sent).toEqual([]);
	const { now: moved } = press({ ...now, chosen: { outcome: "5", segment: null } }, "ArrowRight");
	expect(money.order[moved.chosen?.segment as number]).toBe("5");
	expect(press(moved, "Enter").sent).toEqual([moved.chosen]);
	expect(press(moved, "-", "Enter").sent).toEqual([{ outcome: "5", segment: "not_read" }]);
});

it("sends no entry while none is accepted", () => {
	const { now, sent } = press({ ...reading(roulette), enabled: false }, "1", "7", "Enter");
	expect(sent).toEqual([]);
	expect(typingFault(now.typing, roulette.pockets)).toContain("Nothing was sent");
});
