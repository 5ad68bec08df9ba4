/** The languages of the screens, the chosen language, and lookup of texts. Announcements from the rules are not translated. */

export const LANGUAGES = ["en", "zh", "ms", "ta"] as const;
export type Language = (typeof LANGUAGES)[number];
export const NAMES: Record<Language, string> = { en: "English", zh: "中文", ms: "Bahasa Melayu", ta: "தமிழ்" };
/** The locale for each language. `nu-latn` selects the digits 0 to 9, as on the chips and the wheel. */
const LOCALES: Record<Language, string> = {
	en: "en-SG",
	zh: "zh-SG-u-nu-latn",
	ms: "ms-SG",
	ta: "ta-SG-u-nu-latn",
};

const STORAGE_KEY = "roundhouse.language";

class LanguageSetting {
	language = $state<Language>(storedLanguage());

	get locale(): string {
		return LOCALES[this.language];
	}

	/** Changes the language and stores the choice in this browser. */
	choose(language: Language): void {
		this.language = language;
		localStorage.setItem(STORAGE_KEY, language);
		document.documentElement.lang = language;
	}
}

function storedLanguage(): Language {
	const stored = globalThis.localStorage?.getItem(STORAGE_KEY);
	return LANGUAGES.find((language) => language === stored) ?? "en";
}

export const speech = new LanguageSetting();

/**
 * Returns the texts of a screen in the current language: `const t = wordsOf({ en: {...}, zh: {...}, ms: {...}, ta: {...} })`.
 * A text that is missing in one language is a compile error.
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
