/** The reasons why a table needs attention, the most serious first. All of them come from the server's data. */
import { filled } from "../lib/i18n.svelte.ts";
import { useText } from "../staff/wheel_use.ts";
import type { AlertRow, ProposalRow, PublicTable } from "../wire.ts";
import { W } from "./words.ts";

export type NeedKind =
	| "stopped"
	| "interrupted"
	| "differ"
	| "decision"
	| "wheel"
	| "attendant"
	| "manual"
	| "approval"
	| "dispute"
	| "alerts";

export type MatterSeats = Readonly<Record<string, readonly string[]>>;

/** One reason why a table needs attention. */
export interface Need {
	readonly kind: NeedKind;
	readonly text: string;
	/** Whether a person has to act. Otherwise the reason is shown for information. */
	readonly pressing: boolean;
}

/** The data of a table from which its needs follow. */
export interface TableData {
	readonly table: PublicTable;
	/** Round → the question that waits for a decision. */
	readonly matters: Readonly<Record<string, string>>;
	/** Round → the seats whose matters wait for a decision. */
	readonly matterSeats: MatterSeats;
	/** Seats that wait for an attendant, with the time of the call. */
	readonly calls?: Readonly<Record<string, number>>;
	readonly alert: string;
	readonly alerts: readonly AlertRow[];
	readonly proposals: readonly ProposalRow[];
	/** Number of open disputes. */
	readonly disputes?: number;
}

/** A matter that waits for a decision. A matter of single seats does not hold the round up. */
export function matterText(table: PublicTable, round: string, question: string, matterSeats: MatterSeats): string {
	if (round === "0") return filled(W.needs.question, { question });
	const seats = matterSeats[round] ?? [];
	const current = Number(round) === table.round && table.phase !== "idle" && table.phase !== "closed";
	const waits = current && table.phase === "referred";
	if (waits || (seats.length === 0 && !current)) return filled(W.needs.decision, { round, question });
	if (seats.length === 0) return filled(W.needs.seatsDecided, { round, question });
	const text = seats.length === 1 ? W.needs.seat : W.needs.seats;
	return filled(text, { seats: seats.join(", "), round, goesOn: current ? W.needs.goesOn : "", question });
}

export function needsOf(data: TableData): Need[] {
	const { table, matters, matterSeats, calls, alert, alerts, proposals, disputes = 0 } = data;
	const needs: Need[] = [];
	if (table.phase === "stopped") needs.push({ kind: "stopped", text: W.needs.stopped, pressing: true });
	const { round } = table;
	if (table.phase === "interrupted")
		needs.push({ kind: "interrupted", text: filled(W.needs.interrupted, { round }), pressing: true });
	if (table.readings_disagree) needs.push({ kind: "differ", text: filled(W.needs.differ, { round }), pressing: true });
	for (const [round, question] of Object.entries(matters)) {
		needs.push({ kind: "decision", text: matterText(table, round, question, matterSeats), pressing: true });
	}
	if (alert) needs.push({ kind: "wheel", text: alert, pressing: true });
	else if (table.wheel && !table.wheel.reliable)
		needs.push({ kind: "wheel", text: filled(W.needs.wheel, { use: useText(table.wheel.use) }), pressing: true });
	for (const seat of Object.keys(calls ?? {}))
		needs.push({ kind: "attendant", text: filled(W.needs.attendant, { seat }), pressing: true });
	// A table with a betting time is meant to run in automatic mode.
	if (table.mode === "manual" && table.facts.betting_seconds !== null) {
		needs.push({ kind: "manual", text: filled(W.needs.manual, { reason: table.mode_reason }), pressing: true });
	}
	const pending = proposals.filter((one) => one.table === table.id).length;
	if (pending)
		needs.push({
			kind: "approval",
			text: filled(pending === 1 ? W.needs.approval : W.needs.approvals, { count: pending }),
			pressing: true,
		});
	if (disputes)
		needs.push({
			kind: "dispute",
			text: filled(disputes === 1 ? W.needs.dispute : W.needs.disputes, { count: disputes }),
			pressing: true,
		});
	const unacknowledged = alerts.filter((one) => one.table === table.id).length;
	if (unacknowledged)
		needs.push({
			kind: "alerts",
			text: filled(unacknowledged === 1 ? W.needs.alert : W.needs.alerts, { count: unacknowledged }),
			pressing: false,
		});
	return needs;
}
