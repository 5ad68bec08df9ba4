/** Translates refusals of the server into sentences. All screens share one catalogue per language. */
import type { AnyErrorCode } from "../wire.ts";
import type { Language } from "./i18n.svelte.ts";
import { en } from "./refusals/en.ts";
import { ms } from "./refusals/ms.ts";
import { ta } from "./refusals/ta.ts";
import { zh } from "./refusals/zh.ts";

/** Every error code of the server, and `unreachable` for a missing answer. */
export type RefusalCode = AnyErrorCode | "unreachable";

export const CATALOGUES: Record<Language, Record<RefusalCode, string>> = { en, zh, ms, ta };

/** A refusal to show: the sentence of the catalogue, the server's detail, and the clause of the rules. */
export interface RefusalMessage {
	readonly refusal: string;
	readonly sentence: string;
	readonly detail: string;
	readonly clause: string;
}

interface Answer {
	refusal?: string | null | undefined;
	reason?: string | null | undefined;
	clause?: string | null | undefined;
}

const IDENTIFIER = /\b([a-z]+(?:_[a-z]+)+)\b/g;

/** The sentence for a code, or undefined for an unknown code. */
export function refusalSentence(refusal: string, language: Language = "en"): string | undefined {
	return (CATALOGUES[language] as Record<string, string>)[refusal];
}

/** The message for staff, in English. Identifiers in the server's reason are replaced by words. */
export function refusalMessage(answer: Answer): RefusalMessage {
	const refusal = answer.refusal ?? "refused";
	const sentence = refusalSentence(refusal) ?? `${refusal.replaceAll("_", " ")}.`;
	const detail = (answer.reason ?? "").replace(IDENTIFIER, (word) => word.replaceAll("_", " "));
	return { refusal, sentence, detail, clause: answer.clause ?? "" };
}
