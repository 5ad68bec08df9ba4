/** The languages of the screens and the choice between them. The announcements of the rules are never translated. */

export const LANGUAGES = ["en", "zh", "ms", "ta"] as const;
export type Language = (typeof LANGUAGES)[number];
export const NAMES: Record<Language, string> = { en: "English", zh: "中文", ms: "Bahasa Melayu", ta: "தமிழ்" };
/** The browser's locale for each language, with the digits that the chips and the wheel use. */
const LOCALES: Record<Language, string> = {
	en: "en-SG",
	zh: "zh-SG-u-nu-latn",
	ms: "ms-SG",
	ta: "ta-SG-u-nu-latn",
};

const KEPT = "roundhouse.language";

class Speech {
	language = $state<Language>(remembered());

	get locale(): string {
		return LOCALES[this.language];
	}

	speak(language: Language): void {
		this.language = language;
		localStorage.setItem(KEPT, language);
		document.documentElement.lang = language;
	}
}

function remembered(): Language {
	const kept = globalThis.localStorage?.getItem(KEPT);
	return LANGUAGES.find((language) => language === kept) ?? "en";
}

export const speech = new Speech();

/**
 * Selects a screen's texts by the current language: `const t = wordsOf({ en: {...}, zh: {...}, ms: {...}, ta: {...} })`, then `t.undo`.
 * A text that is missing in one language does not compile.
 */
export function wordsOf<Key extends string>(all: Record<Language, Record<Key, string>>): Record<Key, string> {
	return new Proxy({} as Record<Key, string>, {
		get: (_, key) => all[speech.language][key as Key],
	});
}

/** Replaces each `{name}` in the sentence by `values.name`. */
export function filled(sentence: string, values: Record<string, string | number>): string {
	return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
