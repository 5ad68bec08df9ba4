/** The status of a table, with a text for each status and language. The display board and the lobby use it. */
import type { PublicTable } from "../wire.ts";
import { wordsOf } from "./i18n.svelte.ts";

export type TableStatus =
	| "idle"
	| "bets_open"
	| "closing"
	| "bets_closed"
	| "checking"
	| "result"
	| "void"
	| "referred"
	| "interrupted"
	| "stopped"
	| "closed";

/** With less time than this until bets close, the remaining time is shown as urgent. */
export const URGENT_MILLIS = 5_000;

/** Derives the status. `left` is the time in milliseconds until bets close, or null if it is not known. */
export function tableStatus(table: PublicTable, left: number | null): TableStatus {
	switch (table.phase) {
		case "closed":
		case "stopped":
		case "referred":
		case "interrupted":
			return table.phase;
		case "bets_open":
		case "spinning_bets_open":
			return left !== null && left <= URGENT_MILLIS ? "closing" : "bets_open";
		case "bets_closed":
		case "spinning":
			return "bets_closed";
		case "at_rest":
		case "registered":
			// Without an outcome the readings differ.
			return table.outcome === null ? "checking" : "result";
		case "idle":
			if (table.outcome !== null) return "result";
			return isVoid(table) ? "void" : "idle";
	}
}

/** Whether the round that has just ended is void. */
function isVoid(table: PublicTable): boolean {
	const [last] = table.last_results;
	return last !== undefined && last.round === table.round && last.outcome === null;
}

/** The outcome of the current round, or else the newest outcome. Void rounds are skipped. */
export function lastOutcome(table: PublicTable): string | null {
	return table.outcome ?? table.last_results.find((result) => result.outcome !== null)?.outcome ?? null;
}

export const statusWords = wordsOf({
	en: {
		last_number: "Last result",
		winning: "Result",
		idle: "The next round begins shortly",
		bets_open: "Bets are open",
		closing: "Bets close soon",
		bets_closed: "Bets are closed",
		checking: "The result is being checked",
		referred: "This round is being decided by the staff",
		interrupted: "The round was interrupted. The staff are looking at the wheel.",
		stopped: "This table has stopped. Please ask the staff.",
		closed: "This table is closed",
		void: "Round {round} is void",
	},
	zh: {
		last_number: "上局结果",
		winning: "开奖结果",
		idle: "下一局即将开始",
		bets_open: "现在可以下注",
		closing: "即将停止下注",
		bets_closed: "已停止下注",
		checking: "正在核对结果",
		referred: "本局正由工作人员裁定",
		interrupted: "本局曾中断，工作人员正在查看轮盘。",
		stopped: "本台已停止。请询问工作人员。",
		closed: "本台已关闭",
		void: "第 {round} 局无效",
	},
	ms: {
		last_number: "Keputusan lepas",
		winning: "Keputusan",
		idle: "Pusingan seterusnya akan bermula",
		bets_open: "Pertaruhan dibuka",
		closing: "Pertaruhan hampir ditutup",
		bets_closed: "Pertaruhan ditutup",
		checking: "Keputusan sedang disemak",
		referred: "Pusingan ini sedang diputuskan oleh kakitangan",
		interrupted: "Pusingan terganggu. Kakitangan sedang memeriksa roda.",
		stopped: "Meja ini terhenti. Sila tanya kakitangan.",
		closed: "Meja ini ditutup",
		void: "Pusingan {round} terbatal",
	},
	ta: {
		last_number: "கடைசி முடிவு",
		winning: "முடிவு",
		idle: "அடுத்த சுற்று விரைவில் தொடங்கும்",
		bets_open: "பந்தயம் திறந்துள்ளது",
		closing: "பந்தயம் விரைவில் மூடப்படும்",
		bets_closed: "பந்தயம் மூடப்பட்டது",
		checking: "முடிவு சரிபார்க்கப்படுகிறது",
		referred: "இச்சுற்றை ஊழியர்கள் தீர்மானிக்கிறார்கள்",
		interrupted: "சுற்று தடைபட்டது. ஊழியர்கள் சக்கரத்தைப் பார்க்கிறார்கள்.",
		stopped: "இம்மேசை நின்றுவிட்டது. ஊழியரைக் கேட்கவும்.",
		closed: "இம்மேசை மூடப்பட்டுள்ளது",
		void: "சுற்று {round} செல்லாது",
	},
});
