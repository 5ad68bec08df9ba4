/** The reasons why a table needs attention, the most serious first. Pure; every reason comes from the server. */
import { filled } from "../lib/i18n.svelte.ts";
import type { AlertRow, ProposalRow, PublicTable } from "../wire.ts";
import { W } from "./words.ts";

export type Need = "stopped" | "decision" | "wheel" | "people" | "second" | "alerts";

export interface Needing {
	readonly need: Need;
	readonly words: string;
	/** Whether a person has to go to the table. Otherwise it is enough to notice it. */
	readonly pressing: boolean;
}

export interface Known {
	readonly table: PublicTable;
	readonly matters: Readonly<Record<string, string>>;
	readonly alert: string;
	readonly alerts: readonly AlertRow[];
	readonly proposals: readonly ProposalRow[];
}

export function needsOf({ table, matters, alert, alerts, proposals }: Known): Needing[] {
	const needs: Needing[] = [];
	if (table.phase === "stopped") needs.push({ need: "stopped", words: W.needs.stopped, pressing: true });
	for (const [round, question] of Object.entries(matters)) {
		needs.push({ need: "decision", words: filled(W.needs.decision, { round, question }), pressing: true });
	}
	if (alert) needs.push({ need: "wheel", words: alert, pressing: true });
	else if (table.wheel && !table.wheel.reliable) needs.push({ need: "wheel", words: W.needs.wheel, pressing: true });
	// A betting time means that the automatic dealer is supposed to deal.
	if (table.mode === "manual" && table.facts.betting_seconds !== null) {
		needs.push({ need: "people", words: filled(W.needs.people, { reason: table.mode_reason }), pressing: true });
	}
	const second = proposals.filter((one) => one.table === table.id).length;
	if (second)
		needs.push({
			need: "second",
			words: filled(second === 1 ? W.needs.second : W.needs.seconds, { count: second }),
			pressing: true,
		});
	const unseen = alerts.filter((one) => one.table === table.id).length;
	if (unseen)
		needs.push({
			need: "alerts",
			words: filled(unseen === 1 ? W.needs.alert : W.needs.alerts, { count: unseen }),
			pressing: false,
		});
	return needs;
}
