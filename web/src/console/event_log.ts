/** Describes each event in one line for the console's event log. Amounts are taken from the events; nothing is calculated. */
import { money } from "../lib/money.ts";
import type { TableEvent } from "../wire.ts";

/** Null for placed and withdrawn bets, which the layout already shows. */
export function lineOf(event: TableEvent, currency: string): string | null {
	const cents = (amount: number) => money(amount, currency);
	switch (event.event) {
		case "table_opened.v1":
			return "The table is open.";
		case "last_rounds_announced.v1":
			return `${event.rounds} last rounds are announced.`;
		case "table_closed.v1":
			return "The table is closed.";
		case "table_stopped.v1":
			return `The table has stopped: ${event.reason}`;
		case "table_resumed.v1":
			return `The table goes on (${event.clause}): ${event.reason}`;
		case "seat_taken.v1":
			return `Seat ${event.seat} is taken.`;
		case "credits_bought.v1":
			return `Seat ${event.seat} bought ${cents(event.cents)}.`;
		case "cashed_out.v1":
			return `Seat ${event.seat} cashed out ${cents(event.cents)}.`;
		case "ticket_redeemed.v1":
			return `Seat ${event.seat} redeemed a ticket of ${cents(event.cents)}.`;
		case "bets_opened.v1":
			return `Round ${event.round}: “${event.phrase}”`;
		case "bets_closed.v1":
			return `“${event.phrase}”: ${cents(event.staked)} staked.`;
		case "late_bet_refused.v1":
			return `Late bet of seat ${event.seat} refused (${event.clause}), ${event.late_millis} ms after closing.`;
		case "late_withdrawal_refused.v1":
			return `Late withdrawal of seat ${event.seat} refused (${event.clause}): the stake stands.`;
		case "spin_started.v1":
			return "The spin has started.";
		case "spin_observed.v1":
			return `The spin was reported: ${event.revolutions} revolutions.`;
		case "ball_rested.v1":
			return `At rest in ${event.outcome}, read by the ${event.read_by ?? "dealer"}.`;
		case "result_registered.v1":
			return event.resolved_by ? `${event.outcome} is named as the result.` : `${event.outcome} is registered.`;
		case "result_confirmed.v1":
			return event.wheel
				? `${event.dolly} is confirmed, although ${event.wheel} was read: a correction is due.`
				: `${event.dolly} is confirmed.`;
		case "round_settled.v1":
			return `Round ${event.round} is settled: ${event.outcome}. ${cents(event.staked)} staked, ${cents(event.returned)} returned.`;
		case "round_voided.v1":
			return `Round ${event.round} is void by ${event.clauses.join(", ")}. Every stake went back.`;
		case "round_corrected.v1":
			return `Round ${event.round} is corrected from ${event.was} to ${event.outcome} (${event.clause}).`;
		case "round_reversed.v1":
			return `Round ${event.round} is void after all by ${event.clauses.join(", ")}.`;
		case "matter_referred.v1":
			return `A matter of round ${event.round} is referred: ${event.question}`;
		case "decision_made.v1":
			return `Decided for round ${event.round}: ${event.ruling}. ${event.reason}`;
		case "manual_mode_entered.v1":
			return `People deal: ${event.reason}`;
		case "automatic_mode_entered.v1":
			return "The automatic dealer deals.";
		case "interruption_recovered.v1":
			if (event.phase === "held")
				return `Round ${event.round} was interrupted. It is concluded when wheel and console agree.`;
			return event.phase === "referred"
				? `Round ${event.round} was interrupted while it waited. If it is to stand, it ends by ${event.clause}.`
				: `Round ${event.round} was interrupted, and ended by ${event.clause}.`;
		case "bets_placed.v1":
		case "bets_withdrawn.v1":
			return null;
	}
}
