/** The irregularities of a rulebook: which of them the server lets this person declare, and what effect each has. */

import type { TablePermissions } from "../lib/permissions.ts";
import type { Effect, GameInfo, IrregularityInfo } from "../wire.ts";

/** The irregularity that has a request of its own. */
export const NO_SPIN = "no_spin";

/** Whether an irregularity can be declared now, for past rounds, or why not. */
export type CanDeclare = "now" | "past" | "too_late" | "no_round" | "not_yours" | "not_declared";

export interface Listed {
	readonly irregularity: IrregularityInfo;
	readonly can: CanDeclare;
}

/** The irregularities that people declare, those that can be declared first. Those that only the system declares are left out. */
export function listed(sheet: Pick<GameInfo, "irregularities">, permissions: TablePermissions): Listed[] {
	const known = sheet.irregularities
		.filter((one) => one.by_people && one.id !== NO_SPIN)
		.map((irregularity) => ({ irregularity, can: canDeclare(irregularity.id, permissions) }));
	return [...known.filter(({ can }) => can !== "not_declared"), ...known.filter(({ can }) => can === "not_declared")];
}

function canDeclare(id: string, permissions: TablePermissions): CanDeclare {
	const refusal = permissions.refusalToDeclare(id, "current");
	if (refusal === undefined) return "not_declared";
	if (refusal === null) return "now";
	if (permissions.refusalToDeclare(id, "past") === null) return "past";
	if (refusal === "not_authorised") return "not_yours";
	return refusal === "too_late_to_declare" ? "too_late" : "no_round";
}

/** The effect of an irregularity, as a sentence. */
export const EFFECTS: Record<Effect, string> = {
	void_round: "The round is void and every stake goes back.",
	void_affected_rounds: "Every round that it affected is void, and every stake of those rounds goes back.",
	conclude_round: "The round goes on to its end.",
	continue_round: "The round goes on.",
	settle_registered_bets: "Registered bets are settled.",
	return_unregistered_bets: "Bets that were not registered go back.",
	not_participated: "The Player took no part in the round.",
	settle_by_wheel: "The round is settled by what the wheel shows. The pit corrects the result.",
	later_rounds_stand: "Later rounds stand as they are.",
	wheel_prevails: "What the wheel shows counts, whatever is displayed.",
	refer: "The matter is referred for a decision.",
};

/** `wheel_not_rotating` → "Wheel not rotating": the name in the rulebook, as people write it. */
export function nameOf(id: string): string {
	const words = id.replaceAll("_", " ");
	return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The irregularities that can be reported with what was seen of a spin: those that this person may declare for it. */
export function visible(sheet: Pick<GameInfo, "irregularities">, permissions: TablePermissions): IrregularityInfo[] {
	return listed(sheet, permissions)
		.filter(({ can, irregularity }) => can === "now" && irregularity.observable)
		.map(({ irregularity }) => irregularity);
}
