/** The chosen outcome of an entry. A reading at a wheel with a clapper also names its segment, or says that it was not read. */
import { filled } from "../lib/i18n.svelte.ts";
import { hasSegments, segmentsOf } from "../wheel/segments.ts";
import type { WheelInfo } from "../wire.ts";
import { W } from "./words.ts";

export type Entry = "reading" | "registration";

export interface Choice {
	readonly outcome: string;
	/** The segment at the clapper. Null: not chosen yet, or the entry has none. */
	readonly segment: number | "not_read" | null;
}

/** Whether an entry names a segment. A registration is the result and not a place on the wheel. */
export function asksSegment(wheel: Pick<WheelInfo, "spun">, entry: Entry): boolean {
	return entry === "reading" && hasSegments(wheel);
}

/** The choice of an outcome. A symbol that the wheel has once names its segment. */
export function choiceOf(wheel: WheelInfo, entry: Entry, outcome: string): Choice {
	const segments = asksSegment(wheel, entry) ? segmentsOf(wheel, outcome) : [];
	return { outcome, segment: segments.length === 1 ? (segments[0] ?? null) : null };
}

/** Whether the choice can be sent. */
export function isComplete(wheel: WheelInfo, entry: Entry, choice: Choice | null): choice is Choice {
	return choice !== null && (choice.segment !== null || !asksSegment(wheel, entry));
}

/** The fields of a request that reads or amends a reading. */
export function readingFields({ outcome, segment }: Choice): { outcome: string; segment?: number } {
	return typeof segment === "number" ? { outcome, segment } : { outcome };
}

/** The choice in words: "5, segment 4". `outcome` is its name. */
export function choiceText({ segment }: Choice, outcome: string): string {
	if (segment === null) return outcome;
	return `${outcome}, ${segment === "not_read" ? W.segmentNotRead : filled(W.segment, { segment })}`;
}
