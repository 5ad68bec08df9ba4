/** Describes requests that need approval, and their effects. */

import { sentence } from "../lib/format.ts";
import { filled } from "../lib/i18n.svelte.ts";
import { amount } from "../lib/money.ts";
import { describeEvent } from "../staff/event_log.ts";
import { outcomeText } from "../staff/evidence.ts";
import { titled } from "../staff/words.ts";
import type { CageCommand, CageEvent, Command, Restated, TableEvent } from "../wire.ts";
import { describeCageCommand, describeCageEvent, isCageCommand } from "./cage_effects.ts";
import { W } from "./words.ts";

/** The description of one event that a request would cause. */
export interface EffectText {
	readonly text: string;
	readonly clauses: readonly string[];
	/** The payments before and after a correction, by seat. */
	readonly changes: readonly Restated[];
}

/** Describes a request in one sentence. */
export function describeCommand(command: Command | CageCommand): string {
	if (isCageCommand(command)) return describeCageCommand(command);
	switch (command.do) {
		case "ball_at_rest":
			return filled(W.commands.tell, { outcome: outcomeText(command.outcome, command.segment) });
		case "call_no_spin":
			return filled(W.commands.noSpin, { reason: command.reason });
		case "cash_out":
			return filled(W.commands.cashOut, { seat: command.seat });
		case "correct_result": {
			const what = filled(W.commands.correct, { round: command.round, outcome: command.outcome });
			return command.reason ? filled(W.commands.because, { what, reason: command.reason }) : what;
		}
		case "buy_credits":
			return filled(W.commands.buy, { seat: command.seat, amount: amount(command.cents) });
		case "reverse_purchase":
			return filled(W.commands.reverse, { seat: command.seat });
		case "change_limits":
			return filled(W.commands.limits, { reason: command.reason });
		case "open_table":
			return W.commands.openLimits;
		case "allow_enrolment":
			return filled(W.commands.enrol, { seat: command.seat, reason: command.reason });
		case "declare": {
			const what = sentence(command.irregularity);
			const rounds = command.rounds?.join(", ");
			return rounds ? filled(W.commands.declareOf, { what, rounds }) : filled(W.commands.declare, { what });
		}
		case "decide": {
			if (!command.round) return filled(W.commands.decideQuestion, { reason: command.reason });
			const text = filled(command.outcome ? W.commands.decideWith : W.commands.decide, {
				round: command.round,
				ruling: W.rulings[command.ruling],
				outcome: command.outcome ?? "",
				reason: command.reason,
			});
			return command.seat ? `${text}${filled(W.commands.decideSeat, { seat: command.seat })}` : text;
		}
		case "close_dispute":
			return filled(W.commands.closeDispute, { dispute: command.dispute, reason: command.reason });
		case "count_float":
			return filled(command.count === "opener" ? W.commands.countOpener : W.commands.countCloser, {
				amount: amount(command.cents),
			});
		case "fill":
			return filled(W.commands.fill, { amount: amount(command.cents) });
		case "credit":
			return filled(W.commands.credit, { amount: amount(command.cents) });
		case "drop_removed":
			return filled(W.commands.dropRemoved, { amount: amount(command.cents) });
		case "resume_table":
			return filled(W.commands.resume, { reason: command.reason });
		default:
			return sentence(command.do);
	}
}

/** Describes an event in one sentence, with its clauses. */
export function describeEffect(event: TableEvent | CageEvent): EffectText {
	const atCage = describeCageEvent(event);
	return atCage === null ? describeTableEffect(event as TableEvent) : { text: atCage, clauses: [], changes: [] };
}

function describeTableEffect(event: TableEvent): EffectText {
	switch (event.event) {
		case "round_corrected.v1":
			return {
				text: filled(W.effects.corrected, { round: event.round, was: event.was, outcome: event.outcome }),
				clauses: [event.clause],
				changes: event.seats,
			};
		case "round_reversed.v1":
			return {
				text: filled(W.effects.reversed, { round: event.round, was: event.was }),
				clauses: event.clauses,
				changes: event.seats,
			};
		case "round_voided.v1": {
			const back = Object.values(event.seats).reduce((sum, cents) => sum + cents, 0);
			return {
				text: filled(W.effects.voided, { round: event.round, back: amount(back) }),
				clauses: [...event.clauses, event.returns],
				changes: [],
			};
		}
		case "round_settled.v1":
			return {
				text: filled(W.effects.settled, {
					round: event.round,
					outcome: event.outcome,
					staked: amount(event.staked),
					returned: amount(event.returned),
				}),
				clauses: [],
				changes: [],
			};
		case "round_reinstated.v1":
			return { text: describeEvent(event, ""), clauses: [event.clause], changes: event.seats };
		case "seat_decided.v1":
			return { text: describeEvent(event, ""), clauses: [event.clause], changes: [event.change] };
		case "decision_made.v1":
			return {
				text: `${filled(W.effects.decided, {
					by: titled(event.by),
					round: event.round,
					ruling: W.rulings[event.ruling],
					reason: event.reason,
				})}${event.off_record ? W.effects.offRecord : ""}`,
				clauses: [event.clause],
				changes: [],
			};
		case "result_registered.v1":
			return {
				text: filled(W.effects.registered, { round: event.round, outcome: event.outcome }),
				clauses: event.clause ? [event.clause] : [],
				changes: [],
			};
		case "table_resumed.v1":
			return { text: filled(W.effects.resumed, { stopped: event.stopped }), clauses: [event.clause], changes: [] };
		case "interruption_recovered.v1":
			return {
				text: filled(W.effects.interrupted, { round: event.round }),
				clauses: [event.clause],
				changes: [],
			};
		case "matter_referred.v1":
			return {
				text: filled(W.effects.referred, { round: event.round, by: titled(event.decides) }),
				clauses: [event.clause],
				changes: [],
			};
		default:
			return {
				text: describeEvent(event, "") || sentence(event.event),
				clauses: "clause" in event && event.clause ? [event.clause] : [],
				changes: [],
			};
	}
}
