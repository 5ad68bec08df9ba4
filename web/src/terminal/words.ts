/** What the terminal says, in four languages. The rules' own announcements are not here: they are shown as approved. */
import type { Language } from "../lib/i18n.svelte.ts";
import { filled, speech, wordsOf } from "../lib/i18n.svelte.ts";
import * as english from "./words/en.ts";
import * as malay from "./words/ms.ts";
import * as tamil from "./words/ta.ts";
import * as chinese from "./words/zh.ts";

export const t = wordsOf<keyof english.Words>({ en: english.en, zh: chinese.zh, ms: malay.ms, ta: tamil.ta });

const REFUSALS: Record<Language, Record<string, string>> = {
	en: english.refusals,
	zh: chinese.refusals,
	ms: malay.refusals,
	ta: tamil.refusals,
};

/** A sentence with its gaps filled. */
export function say(key: keyof english.Words, values: Record<string, string | number>): string {
	return filled(t[key], values);
}

/** Why something came to nothing. What has no words here is told as the house says it. */
export function refusalWords(refusal: string, reason = ""): string {
	return REFUSALS[speech.language][refusal] ?? (reason || refusal.replaceAll("_", " "));
}
