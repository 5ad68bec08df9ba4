/** Every refusal in words for the person at the screen: what was wrong, and what to do. A new one does not compile until it has words. */
import { Refused } from "../lib/api.ts";
import type { PeopleRefusal, Problem, TableRefusal } from "../wire.ts";

export type AnyRefusal = TableRefusal | PeopleRefusal | Problem | "unreachable";

const SENTENCES: Record<AnyRefusal, string> = {
	unreachable: "The house cannot be reached. Try again in a moment.",
	not_understood: "The house did not understand that. Nothing has happened.",
	journal_unavailable: "The journal cannot be written. Nothing has happened; call the engineer.",
	id_is_used: "This request was made before. Look at the table, then try again.",
	not_authorised: "Your position may not do this.",
	table_is_stopped: "The table has stopped itself. Call the pit.",
	table_is_closed: "The table is closed. Open it first.",
	table_is_open: "The table is open already.",
	awaiting_decision: "A matter of this round is referred. Wait for the decision.",
	round_in_progress: "A round is in progress. End it first.",
	no_round: "There is no round. Open bets first.",
	bets_are_not_open: "Bets are not open.",
	bets_are_open: "Bets are still open. Close them first.",
	bets_are_closed: "Bets are closed already.",
	bets_close_while_spinning: "Bets close while it spins. Start the spin first.",
	bets_close_before_spin: "Bets close before the spin. Close them first.",
	spin_has_started: "The spin has started already.",
	spin_has_not_started: "The spin has not started.",
	ball_is_at_rest: "It is at rest already.",
	ball_is_not_at_rest: "It is not at rest yet.",
	no_result_registered: "No result is registered yet.",
	readings_disagree:
		"The wheel and the console disagree. The round is held until they agree or the pit names the result.",
	mode_is_manual: "People deal already.",
	mode_is_automatic: "The automatic dealer deals already.",
	no_such_seat: "There is no such seat.",
	seat_is_taken: "The seat is taken.",
	no_such_terminal: "There is no such terminal.",
	no_such_position: "There is no such position on this layout.",
	no_such_package: "There is no such package.",
	no_such_outcome: "The wheel has no such pocket.",
	no_such_irregularity: "These rules have no such irregularity.",
	no_such_round: "There is no such round.",
	no_such_ticket: "There is no such ticket. Check the number.",
	misreported: "This cannot have been seen of this spin.",
	too_late_to_declare: "It is too late to declare this.",
	round_is_settled: "The round is settled.",
	round_is_void: "The round is void already.",
	played_by_other_rulebook: "The round was played by another rulebook.",
	nothing_to_correct: "This is the result already.",
	nothing_referred: "Nothing is referred for that round.",
	already_referred: "A matter of this round is referred already.",
	no_reason_given: "Give a reason; it stays on record.",
	outcome_needed: "Say with which outcome.",
	nothing_to_undo: "There is nothing to undo.",
	nothing_to_clear: "There is nothing to clear.",
	nothing_to_repeat: "There is nothing to repeat.",
	nothing_to_double: "There is nothing to double.",
	nothing_there: "There is nothing on that position.",
	ticket_is_redeemed: "The ticket has been redeemed already.",
	ticket_has_expired: "The ticket has expired.",
	bad_amount: "That is no amount that can be taken.",
	bad_limits: "Those limits make no sense.",
	below_minimum: "Below the minimum.",
	above_maximum: "Above the maximum.",
	above_seat_maximum: "Above the most that a seat may stake.",
	above_table_maximum: "Above the most that the table takes.",
	not_enough_credits: "There are not enough credits.",
	no_credits: "The seat has no credits.",
	needs_second_person: "A second person has to approve this.",
	not_logged_in: "Nobody is logged in here any more. Log in again.",
	wrong_name_or_password: "The name or the password is wrong. After three failures in a row the pit has to unlock you.",
	person_is_locked: "You are locked. The pit unlocks you.",
	account_is_locked: "You are locked. The pit unlocks you.",
	console_is_locked: "The console is locked. Unlock it with your password.",
	console_needed: "A Dealer or Cashier logs in at the console of a table.",
	no_position: "You have no position at this house.",
	other_table: "You work at the console of another table.",
	other_seat: "That is another seat's.",
	no_bill_acceptor: "This terminal does not sell credits.",
	no_guests: "This house has no guests.",
	terminal_is_revoked: "The terminal is revoked.",
	no_such_table: "There is no such table.",
	no_such_person: "There is no such person.",
	no_such_appointment: "There is no such appointment.",
	no_such_code: "There is no such code, or it has expired.",
	no_such_proposal: "It does not wait any more.",
	no_such_alert: "There is no such alert.",
	name_is_taken: "The name is taken; a name is never given twice.",
	bad_name: "That cannot be a name here.",
	bad_password: "That cannot be a password here. It needs at least ten characters.",
	bad_positions: "Those positions do not go together.",
	bad_term: "That is no term for an appointment.",
	not_locked: "It is not locked.",
	already_done: "It has been done already.",
	has_expired: "It has expired.",
	same_person: "It takes another person than the one who asked.",
	above_oneself: "That stands above your own position.",
	state_has_changed: "The table has moved on. Ask for it again.",
	not_a_fact: "That cannot have happened.",
	foreign_host: "This page was asked for under a name that is not the house's.",
	foreign_origin: "This page is not the house's own.",
	too_many_requests: "Too many attempts. Wait a minute.",
	no_such_page: "There is no such page.",
	method_not_allowed: "The house does not do that.",
	csrf_token_missing: "This page is out of date. Load it again.",
	wrong_content_type: "The house did not understand that.",
	too_large: "That is too long.",
	too_slow: "That took too long. Try again.",
	no_such_thing: "There is no such thing.",
	refused: "The house refused it.",
	does_not_verify: "It does not verify. Call the engineer.",
	our_own_bug: "The house made a mistake of its own. Nothing is known to have happened; call the engineer.",
};

/** What was refused, for showing: a sentence, what the table adds to it, and the clause it follows from. */
export interface Saying {
	readonly refusal: string;
	readonly sentence: string;
	readonly detail: string;
	readonly clause: string;
}

interface Refusing {
	refusal?: string | null | undefined;
	reason?: string | null | undefined;
	clause?: string | null | undefined;
}

/** What the house says besides the word is for people, but names positions as programs do. */
const PLAIN = /\b([a-z]+(?:_[a-z]+)+)\b/g;

export function sayingOf(answer: Refusing): Saying {
	const refusal = answer.refusal ?? "refused";
	const sentence = SENTENCES[refusal as AnyRefusal] ?? `${refusal.replaceAll("_", " ")}.`;
	const detail = (answer.reason ?? "").replace(PLAIN, (word) => word.replaceAll("_", " "));
	return { refusal, sentence, detail, clause: answer.clause ?? "" };
}

/** Whatever was thrown while asking, in words. */
export function sayingOfError(error: unknown): Saying {
	if (error instanceof Refused) return sayingOf({ ...error.body, refusal: error.refusal, reason: error.reason });
	return { refusal: "our_own_bug", sentence: SENTENCES.our_own_bug, detail: String(error), clause: "" };
}
