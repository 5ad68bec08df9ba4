/** The actions that the console offers, and which of them is primary.
 *
 * The server says which commands are allowed now. Here is only the layout: which button stands for which command, and
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

/** The steps of a round. The first that is allowed is the primary action: bets are closed rather than left open. */
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

/** The steps that the automatic dealer takes. While it deals, a person takes over first, and they are not offered. */
const DEALT: ReadonlySet<Action> = new Set<Action>([...STEPS.slice(1), "observe_spin"]);

export function offers(permissions: TablePermissions, mode: "automatic" | "manual"): ReadonlyMap<Action, Offer> {
	const isOffered = (action: Action) => !(mode === "automatic" && DEALT.has(action)) && may(permissions, action);
	const steps = STEPS.filter(isOffered);
	const others = OTHERS.filter(isOffered);
	return new Map<Action, Offer>([
		...steps.map((action, index): [Action, Offer] => [action, index === 0 ? "primary" : "offered"]),
		...others.map((action): [Action, Offer] => [action, "offered"]),
	]);
}

function may(permissions: TablePermissions, action: Action): boolean {
	// The ball is at rest first, and then the result is registered: one entry does both.
	if (action === "enter_result") return permissions.may("ball_at_rest") || permissions.may("register_result");
	// The results of settled rounds are corrected at the pit desk.
	if (action === "correct_result") return permissions.mayName("correct_result", "current");
	return permissions.may(action satisfies CommandName);
}
