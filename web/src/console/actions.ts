/** The actions that the console offers, and which of them is primary.
 *
 * The server decides which commands are allowed now. This module only decides which button sends which command, and
 * which button is the large one.
 */
import type { CommandName, TablePermissions } from "../lib/permissions.ts";

export type Action =
	| "open_table"
	| "open_bets"
	| "close_bets"
	| "start_spin"
	| "observe_spin"
	| "enter_result"
	| "confirm_result"
	| "correct_result"
	| "declare"
	| "call_no_spin"
	| "refer"
	| "close_table"
	| "take_over"
	| "hand_back";

/** Whether an action is the primary one or one of the others. */
export type Offer = "primary" | "offered";

/** The steps of a round, in the order of preference: the first allowed step is the primary action. */
const STEPS: readonly Action[] = [
	"open_table",
	"open_bets",
	"close_bets",
	"start_spin",
	"confirm_result",
	"enter_result",
];
const OTHERS: readonly Action[] = [
	"observe_spin",
	"correct_result",
	"declare",
	"call_no_spin",
	"refer",
	"close_table",
	"take_over",
	"hand_back",
];

/** The steps that the automatic dealer takes in automatic mode. The console offers them only in manual mode. */
const DEALER_STEPS: ReadonlySet<Action> = new Set<Action>([...STEPS.slice(1), "observe_spin"]);

/** The actions to offer, the primary one first. */
export function offers(permissions: TablePermissions, mode: "automatic" | "manual"): ReadonlyMap<Action, Offer> {
	const isOffered = (action: Action) => !(mode === "automatic" && DEALER_STEPS.has(action)) && may(permissions, action);
	const steps = STEPS.filter(isOffered);
	const others = OTHERS.filter(isOffered);
	return new Map<Action, Offer>([
		...steps.map((action, index): [Action, Offer] => [action, index === 0 ? "primary" : "offered"]),
		...others.map((action): [Action, Offer] => [action, "offered"]),
	]);
}

function may(permissions: TablePermissions, action: Action): boolean {
	// Entering a result during the spin sends both commands, first `ball_at_rest` and then `register_result`.
	if (action === "enter_result") return permissions.may("ball_at_rest") || permissions.may("register_result");
	// The console corrects only the current round. Settled rounds are corrected at the pit desk.
	if (action === "correct_result") return permissions.mayName("correct_result", "current");
	return permissions.may(action satisfies CommandName);
}
