/** The texts of the terminal in four languages. Announcements come from the rulebook and are not translated. */
import { filled, speech, wordsOf } from "../lib/i18n.svelte.ts";
import { refusalSentence } from "../lib/refusals.ts";
import * as english from "./words/en.ts";
import * as malay from "./words/ms.ts";
import * as tamil from "./words/ta.ts";
import * as chinese from "./words/zh.ts";

export const t = wordsOf<keyof english.Words>({ en: english.en, zh: chinese.zh, ms: malay.ms, ta: tamil.ta });

/** A text with its placeholders filled. */
export function text(key: keyof english.Words, values: Record<string, string | number>): string {
	return filled(t[key], values);
}

/** The refusal as a sentence in the Player's language. For an unknown code it is the server's reason. */
export function refusalText(refusal: string, reason = ""): string {
	return refusalSentence(refusal, speech.language) ?? (reason || refusal.replaceAll("_", " "));
}
