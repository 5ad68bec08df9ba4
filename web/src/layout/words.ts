/** The texts of the layout, and the default description of a position for screen readers. */
import { filled, wordsOf } from "../lib/i18n.svelte.ts";
import type { LayoutInfo, PositionInfo } from "../wire.ts";

export const t = wordsOf({
	en: {
		board: "Betting layout",
		pays: "pays {pays} to 1",
		staked: "staked {amount}",
		pending: "not yet registered {amount}",
		others: "other seats {amount}",
		returned: "returned {amount}",
		chips: "Chips",
		chip: "Chip of {amount}",
		racetrack: "Racetrack",
		neighbours: "Neighbours",
		width: "Neighbours on each side",
		series: "Series",
		finales: "Finales",
		pieces: "{pieces} pieces",
		hold: "Hold to take back",
	},
	zh: {
		board: "投注台面",
		pays: "赔率 {pays} 赔 1",
		staked: "已押 {amount}",
		pending: "尚未登记 {amount}",
		others: "其他座位 {amount}",
		returned: "返还 {amount}",
		chips: "筹码",
		chip: "{amount} 筹码",
		racetrack: "轮盘跑道",
		neighbours: "邻号",
		width: "每边邻号数",
		series: "组合投注",
		finales: "尾数",
		pieces: "{pieces} 枚",
		hold: "按住可收回",
	},
	ms: {
		board: "Susun atur pertaruhan",
		pays: "bayar {pays} kepada 1",
		staked: "dipertaruhkan {amount}",
		pending: "belum didaftarkan {amount}",
		others: "tempat duduk lain {amount}",
		returned: "dipulangkan {amount}",
		chips: "Cip",
		chip: "Cip {amount}",
		racetrack: "Trek roda",
		neighbours: "Jiran",
		width: "Jiran di setiap sisi",
		series: "Siri",
		finales: "Finales",
		pieces: "{pieces} keping",
		hold: "Tahan untuk ambil balik",
	},
	ta: {
		board: "பந்தய மேசை",
		pays: "1-க்கு {pays} வழங்கும்",
		staked: "பந்தயம் {amount}",
		pending: "இன்னும் பதிவாகவில்லை {amount}",
		others: "மற்ற இருக்கைகள் {amount}",
		returned: "திரும்பியது {amount}",
		chips: "சில்லுகள்",
		chip: "{amount} சில்லு",
		racetrack: "சக்கரப் பாதை",
		neighbours: "அண்டை எண்கள்",
		width: "ஒவ்வொரு பக்கமும் அண்டை எண்கள்",
		series: "தொடர்கள்",
		finales: "இறுதி இலக்கங்கள்",
		pieces: "{pieces} துண்டுகள்",
		hold: "திரும்ப எடுக்க அழுத்திப் பிடிக்கவும்",
	},
});

/** The rulebook's name for a bet, without the clause before it. */
function rowName(position: PositionInfo): string {
	return position.row.split(" / ").at(-1) ?? position.row;
}

/** Describes a position by the rulebook's name and its odds. Used if the screen passes no description. */
export function described(position: PositionInfo, layout: LayoutInfo): string {
	const label = layout.boxes.find((box) => box.position === position.id)?.label;
	const name = rowName(position);
	const [covers, many] = [position.covers, position.covers.length > 6];
	const listed = many ? `${covers[0]} … ${covers.at(-1)}` : covers.join(", ");
	const which = label === undefined ? listed : covers.length === 1 ? label : `${label} (${listed})`;
	const text = which === name ? name : `${name} ${which}`;
	return `${text}, ${filled(t.pays, { pays: position.pays })}`;
}
