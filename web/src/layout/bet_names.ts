/** The names of the types of bets in each language, for the terminal and the display board. */
import { type Language, speech } from "../lib/i18n.svelte.ts";

const NAMES: Record<Language, Record<string, string>> = {
	en: {
		straight: "Straight Up",
		split: "Split",
		street: "Street",
		corner: "Corner",
		line: "Line",
		top_line: "Top Line",
		column: "Column",
		dozen: "Dozen",
		low: "Low",
		high: "High",
		odd: "Odd",
		even: "Even",
		red: "Red",
		black: "Black",
		green: "Green",
	},
	zh: {
		straight: "单号",
		split: "两号",
		street: "三号",
		corner: "四号",
		line: "六号线",
		top_line: "顶线",
		column: "列",
		dozen: "打",
		low: "小",
		high: "大",
		odd: "单",
		even: "双",
		red: "红",
		black: "黑",
		green: "绿",
	},
	ms: {
		straight: "Satu nombor",
		split: "Dua nombor",
		street: "Tiga nombor",
		corner: "Empat nombor",
		line: "Enam nombor",
		top_line: "Baris atas",
		column: "Lajur",
		dozen: "Dozen",
		low: "Rendah",
		high: "Tinggi",
		odd: "Ganjil",
		even: "Genap",
		red: "Merah",
		black: "Hitam",
		green: "Hijau",
	},
	ta: {
		straight: "ஒற்றை எண்",
		split: "இரு எண்கள்",
		street: "மூன்று எண்கள்",
		corner: "நான்கு எண்கள்",
		line: "ஆறு எண்கள்",
		top_line: "மேல் வரி",
		column: "நெடுவரிசை",
		dozen: "பன்னிரண்டு",
		low: "தாழ்",
		high: "உயர்",
		odd: "ஒற்றைப்படை",
		even: "இரட்டைப்படை",
		red: "சிவப்பு",
		black: "கறுப்பு",
		green: "பச்சை",
	},
};

/** Shorter names where the full name spells out how many numbers a bet has. */
const SHORT: Partial<Record<Language, Record<string, string>>> = {
	ms: { straight: "1 nombor", split: "2 nombor", street: "3 nombor", corner: "4 nombor", line: "6 nombor" },
	ta: { straight: "1 எண்", split: "2 எண்", street: "3 எண்", corner: "4 எண்", line: "6 எண்" },
};

/** The name of a type of bet for a place with little space. */
export function shortBetName(type: string): string | undefined {
	return SHORT[speech.language]?.[type] ?? betName(type);
}

/** The name of a type of bet, or undefined if the bet is named by its label on the layout, as symbols are. */
export function betName(type: string): string | undefined {
	return NAMES[speech.language][type];
}
