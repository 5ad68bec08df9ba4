/** The keys of an entry: digits and letters name a pocket, arrows its segment, and Enter sends what is shown. Pure functions. */
import { filled } from "../lib/i18n.svelte.ts";
import { segmentsOf, stepSegment } from "../wheel/segments.ts";
import type { WheelInfo } from "../wire.ts";
import { asksSegment, type Choice, choiceOf, type Entry, isComplete } from "./choice.ts";
import { isTypingKey, NOTHING_TYPED, type Typing, typed, typedPocket } from "./typing.ts";
import { W } from "./words.ts";

export interface KeyedEntry {
	readonly wheel: WheelInfo;
	readonly act: Entry;
	/** The pockets that can be entered. */
	readonly pockets: readonly string[];
	readonly chosen: Choice | null;
	readonly typing: Typing;
	/** Whether an entry is accepted now. */
	readonly enabled: boolean;
}

/** A key, and whether it was pressed on a button or in a field. */
export interface Key {
	readonly key: string;
	readonly repeat: boolean;
	readonly on: "button" | "field" | null;
}

/** The entry after a key. */
export interface Pressed {
	readonly typing: Typing;
	readonly chosen: Choice | null;
	/** Whether the choice is sent. */
	readonly sends: boolean;
}

/** Why the typed text names no pocket, or was not sent. Empty if nothing is wrong. */
export function typingFault(typing: Typing, pockets: readonly string[]): string {
	const { text, spoiled, discarded } = typing;
	if (discarded?.why === "no_pocket") return filled(W.noSuchPocket, { text: discarded.text });
	if (discarded?.why === "too_early" || spoiled) return W.typedTooEarly;
	return text !== "" && typedPocket(text, pockets) === null ? filled(W.noPocketYet, { text }) : "";
}

/** Describes a key of the browser. Null for a shortcut of the browser. */
export function keyOf(event: KeyboardEvent): Key | null {
	if (event.ctrlKey || event.metaKey || event.altKey) return null;
	const { key, repeat } = event;
	const target = event.target as HTMLElement;
	if (target.closest("input, textarea, select")) return { key, repeat, on: "field" };
	return { key, repeat, on: target.closest("button, a, [role=button]") ? "button" : null };
}

/** Applies a key to an entry. Null if the key does not belong to the entry, and the browser handles it. */
export function pressKey(entry: KeyedEntry, { key, repeat, on }: Key): Pressed | null {
	if (on === "field") return null;
	const moved = movedSegment(entry, key);
	if (moved !== null) return { typing: NOTHING_TYPED, chosen: moved, sends: false };
	if (repeat || !isTypingKey(key)) return null;
	const { wheel, act, chosen, typing, enabled } = entry;
	if (key === "Enter" && typing.text === "" && !typing.spoiled) {
		// A focused button is pressed by the browser. Otherwise Enter sends the chosen outcome.
		return on === "button" || !enabled || !isComplete(wheel, act, chosen) ? null : { typing, chosen, sends: true };
	}
	const next = typed(typing, key, enabled, entry.pockets);
	const pocket = next.entered ?? typedPocket(next.typing.text, entry.pockets);
	const choice = pocket === null ? null : choiceOf(wheel, act, pocket);
	return { typing: next.typing, chosen: choice, sends: next.entered !== null && isComplete(wheel, act, choice) };
}

/** The choice after a key that names the segment of the chosen symbol, or null if the key does not. */
function movedSegment({ wheel, act, chosen, typing, enabled }: KeyedEntry, key: string): Choice | null {
	const steps = { ArrowRight: 1, ArrowLeft: -1 }[key];
	if (!asksSegment(wheel, act) || chosen === null || typing.spoiled || !enabled) return null;
	if (steps === undefined && key !== "-") return null;
	const { outcome, segment } = chosen;
	if (segmentsOf(wheel, outcome).length < 2) return chosen;
	const from = typeof segment === "number" ? segment : null;
	return { outcome, segment: steps === undefined ? "not_read" : stepSegment(wheel, outcome, from, steps) };
}
