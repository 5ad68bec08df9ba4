/** The actions that the console offers in each phase, and which of them is primary.
 *
 * It decides only what to offer. The server decides what is allowed, and its refusal is shown.
 */
import { NAMED } from "../staff/irregularities.ts";
import type { Authority, GameInfo, Moment, Phase, Role } from "../wire.ts";

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

export const PHASES: readonly Phase[] = [
	"closed",
	"idle",
	"bets_open",
	"spinning_bets_open",
	"bets_closed",
	"spinning",
	"at_rest",
	"registered",
	"referred",
	"stopped",
];

/**
 * `!` primary · `+` offered · `.` not offered
 * `C` and `S` depend on when the rulebook closes bets: see `BY_MOMENT`.
 */
// biome-ignore format: a table
const CELLS: Record<Action, string> = {
	//                closed idle open spin+open closed spinning rest registered referred stopped
	open_table:     " !      .    .    .         .      .        .    .          .        .",
	open_bets:      " .      !    .    .         .      .        .    .          .        .",
	close_bets:     " .      .    C    !         .      .        .    .          .        .",
	start_spin:     " .      .    S    .         !      .        .    .          .        .",
	observe_spin:   " .      .    .    +         .      +        .    .          .        .",
	enter_result:   " .      .    .    .         .      !        !    +          .        .",
	confirm_result: " .      .    .    .         .      .        .    !          .        .",
	correct_result: " .      .    .    .         .      .        .    +          .        .",
	declare:        " +      +    +    +         +      +        +    +          .        .",
	call_no_spin:   " .      .    +    +         +      +        +    +          .        .",
	refer:          " .      +    +    +         +      +        +    +          .        .",
	close_table:    " .      +    +    +         +      +        +    +          +        .",
	take_over:      " +      +    +    +         +      +        +    +          +        .",
	hand_back:      " +      +    +    +         +      +        +    +          +        .",
};

const BY_MOMENT: Record<"C" | "S", Record<Moment, Offer | null>> = {
	C: { before_spin: "primary", operators_choice: "primary", while_spinning: null },
	S: { before_spin: null, operators_choice: "offered", while_spinning: "primary" },
};

/** Actions of the Dealer, and of higher positions if the rulebook allows it. They are not offered in automatic mode. */
const DEALING: ReadonlySet<Action> = new Set<Action>([
	"open_bets",
	"close_bets",
	"start_spin",
	"observe_spin",
	"enter_result",
	"confirm_result",
]);

export interface Circumstances {
	phase: Phase;
	mode: "automatic" | "manual";
	/** Whether there is an automatic dealer to hand back to. */
	automatic: boolean;
	positions: readonly Role[];
	sheet: Pick<GameInfo, "authority" | "betting" | "irregularities">;
}

export function offers(here: Circumstances): ReadonlyMap<Action, Offer> {
	const column = PHASES.indexOf(here.phase);
	const found = new Map<Action, Offer>();
	for (const [action, row] of Object.entries(CELLS) as [Action, string][]) {
		const cell = row.trim().split(/\s+/)[column];
		const offer = cell === "!" ? "primary" : cell === "+" ? "offered" : byMoment(cell, here);
		if (offer && fits(action, here)) found.set(action, offer);
	}
	return found;
}

function byMoment(cell: string | undefined, here: Circumstances): Offer | null {
	return cell === "C" || cell === "S" ? BY_MOMENT[cell][here.sheet.betting.closes.moment] : null;
}

function fits(action: Action, { mode, automatic, positions, sheet }: Circumstances): boolean {
	if (DEALING.has(action)) return mode === "manual" && mayDeal(sheet.authority, positions);
	if (action === "call_no_spin" || action === "correct_result") {
		const listed = sheet.irregularities.find((one) => one.id === NAMED[action]);
		if (listed) return listed.declared_by.some((position) => positions.includes(position as Role));
		// Rules without a clause of their own on a wrong result leave it to the pit; "no spin" exists only by a clause.
		return action === "correct_result" && inThePit(sheet.authority, positions);
	}
	if (!ofTheTable(sheet.authority, positions)) return false;
	if (action === "take_over") return mode === "automatic";
	if (action === "hand_back") return mode === "manual" && automatic;
	return true;
}

/** Whether a position deals: the Dealer, or a higher one if the rulebook allows it. */
function mayDeal(authority: Authority, positions: readonly Role[]): boolean {
	return positions.includes("dealer") || (authority.higher_may_act !== null && ofTheTable(authority, positions));
}

function ofTheTable(authority: Authority, positions: readonly Role[]): boolean {
	return positions.some((position) => (authority.ladder as readonly string[]).includes(position));
}

function inThePit(authority: Authority, positions: readonly Role[]): boolean {
	return positions.some((position) => (authority.ladder as readonly string[]).indexOf(position) > 0);
}

/** Whether a position sells credits and pays them out: the cashier, and every position that deals. */
export function mayServeTheCage(authority: Authority, positions: readonly Role[]): boolean {
	return positions.includes("cashier") || mayDeal(authority, positions);
}

/** The phases of a round in the order in which this rulebook goes through them. */
export function courseOf(moment: Moment): readonly Phase[] {
	const [before, after] = ["bets_closed", "spinning_bets_open"] as const;
	return ["idle", "bets_open", moment === "while_spinning" ? after : before, "spinning", "at_rest", "registered"];
}
