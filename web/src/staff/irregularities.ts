/** The irregularities of a rulebook: which of them this person may declare, and the effect of each. */
import type { TablePermissions } from "../lib/permissions.ts";
import type { Effect, GameInfo, IrregularityInfo } from "../wire.ts";

/** The irregularity that is declared by a separate request, `call_no_spin`. */
export const NO_SPIN = "no_spin";

/** The irregularity of an interrupted round at whose wheel no outcome stands. The console has its own question about it. */
export const WITHOUT_OUTCOME = "interrupted_without_outcome";
/** The irregularity that names terminals instead of rounds. The round goes on. */
export const TERMINALS = "terminals_interrupted";

/** Whether an irregularity can be declared now, for past rounds, or why not. */
export type CanDeclare =
	| "now"
	| "past"
	| "too_late"
	| "no_spin"
	| "on_record"
	| "not_now"
	| "no_round"
	| "not_yours"
	| "not_declared";

export interface Listed {
	readonly irregularity: IrregularityInfo;
	readonly can: CanDeclare;
}

/**
 * The irregularities to show to staff. Those that are never declared are at the end.
 * Those that only the system declares are omitted.
 */
export function listed(sheet: Pick<GameInfo, "irregularities">, permissions: TablePermissions): Listed[] {
	const known = sheet.irregularities
		.filter((one) => one.by_people && one.id !== NO_SPIN && one.id !== WITHOUT_OUTCOME)
		.map((irregularity) => ({ irregularity, can: canDeclare(irregularity.id, permissions) }));
	// Interrupted terminals void nothing, so they follow the irregularities of the spin.
	const isLast = ({ irregularity, can }: Listed) => can === "not_declared" || irregularity.id === TERMINALS;
	return [...known.filter((one) => !isLast(one)), ...known.filter(isLast)];
}

function canDeclare(id: string, permissions: TablePermissions): CanDeclare {
	const refusal = permissions.refusalToDeclare(id, "current");
	if (refusal === undefined) return "not_declared";
	if (refusal === null) return "now";
	if (permissions.refusalToDeclare(id, "past") === null) return "past";
	if (refusal === "not_authorised") return "not_yours";
	if (refusal === "spin_has_not_started") return "no_spin";
	if (refusal === "against_the_record") return "on_record";
	if (refusal === "no_round") return "no_round";
	return refusal === "too_late_to_declare" ? "too_late" : "not_now";
}

/** A sentence about each effect of an irregularity. */
export const EFFECTS: Record<Effect, string> = {
	void_round: "The round is void and every stake is returned.",
	void_affected_rounds: "Every affected round is void, and every stake of these rounds is returned.",
	conclude_round: "The round is played to its end.",
	continue_round: "The round continues.",
	settle_registered_bets: "Registered bets are settled.",
	return_unregistered_bets: "Bets that were not registered are returned.",
	not_participated: "The Player took no part in the round.",
	settle_by_wheel: "The round is settled by the result on the wheel. The pit corrects the result.",
	later_rounds_stand: "Later rounds are not affected.",
	wheel_prevails: "The result on the wheel counts, even if the display shows another.",
	refer: "The matter is referred for a decision.",
};

/** A readable name for an id: `wheel_not_rotating` becomes "Wheel not rotating". */
export function nameOf(id: string): string {
	const text = id.replaceAll("_", " ");
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The irregularities that can be observed during a spin and that this person may declare now. */
export function visible(sheet: Pick<GameInfo, "irregularities">, permissions: TablePermissions): IrregularityInfo[] {
	return listed(sheet, permissions)
		.filter(({ can, irregularity }) => can === "now" && irregularity.observable)
		.map(({ irregularity }) => irregularity);
}
