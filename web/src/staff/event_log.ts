/** Describes events in one line each for staff screens. All amounts come from the events. */
import { money } from "../lib/money.ts";
import { PLAYER, type TableEvent } from "../wire.ts";
import { D } from "./desk_words.ts";
import { attested, outcomeText, reader, sourceName, spinText } from "./evidence.ts";

/** The events that tell the number of a reading. */
type ReadingEvent = Extract<TableEvent, { event: "ball_rested.v1" | "outcome_read.v1" | "reading_amended.v1" }>;

/** Whether an event tells the number that was read in a round. */
export function isReading(event: TableEvent, round: number): event is ReadingEvent {
	const readings = ["ball_rested.v1", "outcome_read.v1", "reading_amended.v1"];
	return readings.includes(event.event) && (event as ReadingEvent).round === round;
}

/** Describes a reading without its number, for a person who is to read the wheel independently. */
export function describeWithheld(event: ReadingEvent): string {
	switch (event.event) {
		case "ball_rested.v1":
			return `At rest, read by ${reader(event)}.`;
		case "outcome_read.v1":
			return `A further reading, by ${reader(event)}.`;
		case "reading_amended.v1":
			return `${reader(event)} amended a reading.`;
	}
}

/** An amount with its sign: "−5.00", or "0.00". */
function variance(value: number, currency: string): string {
	return value < 0 ? `−${money(-value, currency)}` : money(value, currency);
}

/** Describes an event. Empty for placed and withdrawn bets, which the layout already shows. */
export function describeEvent(event: TableEvent, currency: string): string {
	const cents = (amount: number) => money(amount, currency);
	switch (event.event) {
		case "table_opened.v1":
			return "The table is open.";
		case "last_rounds_announced.v1":
			return `The last ${event.rounds} rounds are announced.`;
		case "table_closed.v1":
			return "The table is closed.";
		case "table_stopped.v1":
			return `The table has stopped: ${event.reason}`;
		case "software_stopped.v1":
			return `The software was stopped in round ${event.round}. The round is referred.`;
		case "table_resumed.v1":
			return `The table was resumed (${event.clause}): ${event.reason}`;
		case "seat_taken.v1":
			return `Seat ${event.seat} is taken.`;
		case "credits_bought.v1":
			return `Seat ${event.seat} bought ${cents(event.cents)}.`;
		case "cashed_out.v1":
		case "cashed_out.v2":
			return `Seat ${event.seat} cashed out ${cents(event.cents)}.`;
		case "ticket_redeemed.v1":
		case "ticket_redeemed.v2":
			return `Seat ${event.seat} redeemed a ticket of ${cents(event.cents)}.`;
		case "bets_opened.v1":
			return `Round ${event.round}: “${event.phrase}”`;
		case "bets_closed.v1":
			return `“${event.phrase}”: ${cents(event.staked)} staked.`;
		case "late_bet_refused.v1":
			return `Late bet of seat ${event.seat} refused (${event.clause}), ${event.late_millis} ms after closing.`;
		case "late_withdrawal_refused.v1":
			return `Late withdrawal of seat ${event.seat} refused (${event.clause}): the stake stays in play.`;
		case "procedure_adopted.v1":
			return "The table goes on under the current procedure.";
		case "spin_started.v1":
			return event.by_hand ? "The spin has started, by hand." : "The spin has started.";
		case "spin_observed.v1":
			return `Spin: ${spinText(event)}, ${attested(event.source)}.`;
		case "ball_rested.v1":
			return `At rest: ${outcomeText(event.outcome, event.segment)}, read by ${reader(event)}.${event.reason ? ` ${event.reason}` : ""}`;
		case "outcome_read.v1":
			return `${outcomeText(event.outcome, event.segment)}, read by ${reader(event)}.`;
		case "reading_amended.v1":
			return `${reader(event)} amended the reading from ${outcomeText(event.was, event.was_segment)} to ${outcomeText(event.outcome, event.segment)}.`;
		case "result_registered.v1":
			return event.resolved_by
				? `The result is resolved to ${event.outcome} by ${sourceName(event.source)}.`
				: `${event.outcome} is registered${event.was ? ` instead of ${event.was}` : ""}.`;
		case "result_confirmed.v1":
			return event.wheel
				? `${event.dolly} is confirmed, although ${event.wheel} was read. A correction is needed.`
				: `${event.dolly} is confirmed.`;
		case "round_settled.v1":
			return `Round ${event.round} is settled: ${event.outcome}. ${cents(event.staked)} staked, ${cents(event.returned)} returned.`;
		case "round_voided.v1":
			return `Round ${event.round} is void by ${event.clauses.join(", ")}. All stakes were returned.`;
		case "rounds_skipped.v1":
			return `Already void, skipped: ${event.rounds.join(", ")}.`;
		case "terminals_interrupted.v1":
			return `Terminals interrupted (${event.clause}): ${event.terminals.join(", ")}. The round goes on.`;
		case "round_corrected.v1":
			return `Round ${event.round} is corrected from ${event.was} to ${event.outcome} (${event.clause}).`;
		case "round_reversed.v1":
			return `Round ${event.round}, already settled, is void by ${event.clauses.join(", ")}.`;
		case "round_reinstated.v1":
			return `Round ${event.round}, which was void, is settled with ${event.outcome} (${event.clause}).`;
		case "seat_decided.v1":
			return `Round ${event.round}, seat ${event.change.seat}: ${event.ruling} (${event.clause}).`;
		case "stake_returned.v1":
			return `The stake of seat ${event.seat}, ${cents(event.cents)}, is returned (${event.clause}).`;
		case "matter_referred.v1":
			return `${event.round === 0 ? "A question about the rules" : `A matter in round ${event.round}`} is referred: ${event.question}`;
		case "decision_made.v1":
			return `Decision${event.round === 0 ? "" : ` on round ${event.round}`}${event.for_seat ? `, seat ${event.for_seat}` : ""}: ${event.ruling}${event.outcome ? ` ${event.outcome}` : ""}${event.off_record ? ", an outcome that nobody read" : ""}. ${event.reason}`;
		case "colour_issued.v1":
			return `Seat ${event.seat} has ${event.colour} chips of ${cents(event.value_cents)}.`;
		case "colour_redeemed.v1":
			return `Seat ${event.seat} has redeemed its ${event.colour} chips.`;
		case "protection_set.v1":
			return `Seat ${event.seat} set its limits.`;
		case "break_taken.v1":
			return `Seat ${event.seat} takes a break.`;
		case "check_acknowledged.v1":
			return `Seat ${event.seat} has seen its reality check.`;
		case "attendant_called.v1":
			return `Seat ${event.seat} calls an attendant.`;
		case "call_attended.v1":
			return `Seat ${event.seat}: the call was answered.`;
		case "manual_mode_entered.v1":
			return `Manual mode: ${event.reason}`;
		case "automatic_mode_entered.v1":
			return "Automatic mode.";
		case "interruption_recovered.v1":
			if (event.asks) return `Round ${event.round} was interrupted (${event.clause}). What does the wheel show?`;
			if (event.phase === "held")
				return `Round ${event.round} was interrupted. It ends when the readings of wheel and console agree.`;
			return event.phase === "referred"
				? `Round ${event.round} was interrupted while it waited for a decision. If the decision lets it stand, it ends by ${event.clause}.`
				: `Round ${event.round} was interrupted and ended by ${event.clause}.`;
		case "purchase_reversed.v1":
			return `Purchase ${event.purchase} of seat ${event.seat}, ${cents(event.cents)}, is reversed${event.reason ? `: ${event.reason}` : "."}`;
		case "cash_out_requested.v1":
			return event.source.by === PLAYER
				? `Seat ${event.seat} asks for a cash-out of ${cents(event.cents)}.`
				: `Seat ${event.seat} is asked to confirm a cash-out of ${cents(event.cents)}.`;
		case "limits_changed.v1":
			return `The limits change from the next round${event.above_configuration ? ", above the configuration" : ""}: ${event.reason}`;
		case "enrolment_allowed.v1":
			return `Another terminal is allowed at seat ${event.seat}, which has ${cents(event.cents)}: ${event.reason}`;
		case "dispute.v1":
			return `Seat ${event.seat} contests round ${event.round} (${event.clause}): ${D.about[event.about]}.${event.words ? ` “${event.words}”` : ""}`;
		case "dispute_closed.v1":
			return `Dispute ${event.dispute} of seat ${event.seat} is closed${event.paid ? ` with ${cents(event.paid)} of goodwill` : ""}: ${event.reason}`;
		case "display_questioned.v1":
			return `A display is in question${event.round ? ` in round ${event.round}` : ""}: ${event.words}`;
		case "seat_paused.v1":
			return `Seat ${event.seat} is paused: ${event.reason}`;
		case "seat_resumed.v1":
			return `Seat ${event.seat} takes bets again.`;
		case "dealer_changed.v1":
			return event.dealer
				? `${event.dealer} is the Dealer of record${event.was ? ` after ${event.was}` : ""}.${event.reason ? ` ${event.reason}` : ""}`
				: `${event.was} is no longer the Dealer of record.${event.reason ? ` ${event.reason}` : ""}`;
		case "float_counted.v1":
			return `The ${event.count} of the float is ${cents(event.cents)}; due: ${cents(event.expected)}, variance: ${variance(event.variance, currency)}.`;
		case "float_filled.v1":
			return `The float is filled with ${cents(event.cents)}.`;
		case "float_credited.v1":
			return `${cents(event.cents)} of the float is returned to the cage.`;
		case "drop_removed.v1":
			return `The drop of ${cents(event.cents)} is removed.`;
		case "bets_placed.v1":
		case "bets_withdrawn.v1":
			return "";
	}
}
