/** The actions that the console offers, and which of them is primary.
 *
 * The server decides which commands are allowed now. This module only decides which button sends which command, and
 * which button is the large one.
 */
import type { TablePermissions } from "../lib/permissions.ts";

export type Action =
	| "open_table"
	| "open_bets"
	| "close_bets"
	| "start_spin"
	| "spin_by_hand"
	| "observe_spin"
	| "ball_at_rest"
	| "amend_reading"
	| "register_result"
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

/** Why a registered result cannot be confirmed yet, or null. */
export type Obstacle = "readings_differ" | "reports_differ" | "not_attested" | null;

/** Facts about the round from which the offered actions follow, besides the permissions. */
export interface Situation {
	readonly mode: "automatic" | "manual";
	readonly obstacle: Obstacle;
	/** Whether this person has a reading on record in this round. */
	readonly hasRead: boolean;
	/** Whether the table has a wheel that launches the ball. */
	readonly launches: boolean;
	/** Whether the round was interrupted. The stage then asks what the wheel shows. */
	readonly interrupted: boolean;
}

/** The steps of a round, in the order of preference: the first allowed step is the primary action. */
const STEPS: readonly Action[] = [
	"open_table",
	"open_bets",
	"close_bets",
	"start_spin",
	"confirm_result",
	"register_result",
	"ball_at_rest",
];
const OTHERS: readonly Action[] = [
	"spin_by_hand",
	"observe_spin",
	"amend_reading",
	"correct_result",
	"declare",
	"call_no_spin",
	"refer",
	"close_table",
	"take_over",
	"hand_back",
];

/** The steps that the automatic dealer takes in automatic mode. The console offers them only in manual mode. */
const DEALER_STEPS: ReadonlySet<Action> = new Set<Action>([...STEPS.slice(1), "spin_by_hand", "observe_spin"]);

/** The actions to offer, the primary one first. */
export function offers(permissions: TablePermissions, situation: Situation): ReadonlyMap<Action, Offer> {
	const isOffered = (action: Action) =>
		!(situation.mode === "automatic" && DEALER_STEPS.has(action)) && may(permissions, action, situation);
	const steps = STEPS.filter(isOffered);
	const others = OTHERS.filter(isOffered);
	const primary = primaryOf(steps, others, permissions, situation);
	return new Map<Action, Offer>(
		[...(primary ? [primary] : []), ...steps, ...others].map((action): [Action, Offer] => [
			action,
			action === primary ? "primary" : "offered",
		]),
	);
}

/** The primary action. A result that cannot be confirmed yet has another one, or none. */
function primaryOf(
	steps: readonly Action[],
	others: readonly Action[],
	permissions: TablePermissions,
	{ obstacle, interrupted }: Situation,
): Action | undefined {
	if (interrupted) return undefined;
	if (!permissions.may("confirm_result") || obstacle === null) return steps[0];
	return obstacle === "not_attested" && others.includes("observe_spin") ? "observe_spin" : undefined;
}

function may(permissions: TablePermissions, action: Action, situation: Situation): boolean {
	switch (action) {
		case "spin_by_hand":
			return situation.launches && permissions.may("start_spin");
		case "confirm_result":
			return situation.obstacle === null && permissions.may(action);
		case "ball_at_rest":
			// A person reads once. A reading on record is amended instead.
			return !situation.hasRead && !situation.interrupted && permissions.may(action);
		case "amend_reading":
			return situation.hasRead && permissions.may(action);
		case "correct_result":
			// The console resolves only the round in progress. Settled rounds are corrected at the pit desk.
			return situation.obstacle === "readings_differ" && permissions.mayName(action, "current");
		default:
			return permissions.may(action);
	}
}
