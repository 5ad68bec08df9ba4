/** The irregularities of a rulebook: which can be declared in a phase, and what effect each has. Pure functions. */

import type { Effect, GameInfo, IrregularityInfo, Phase, Role } from "../wire.ts";

/** The irregularities that have a request of their own. */
export const NAMED = { call_no_spin: "no_spin", correct_result: "wrong_result_registered" } as const;

/** Whether an irregularity can be declared now, for past rounds, or why not. */
export type Declarable = "now" | "past" | "too_late" | "no_round" | "not_yours" | "not_declared";

export interface Listed {
	readonly irregularity: IrregularityInfo;
	readonly can: Declarable;
}

const AFTER_REST: ReadonlySet<Phase> = new Set<Phase>(["at_rest", "registered"]);
const NO_ROUND: ReadonlySet<Phase> = new Set<Phase>(["closed", "idle", "referred", "stopped"]);

/** The irregularities that people declare, those that can be declared first. Those that only the system declares are left out. */
export function listed(sheet: Pick<GameInfo, "irregularities">, phase: Phase, positions: readonly Role[]): Listed[] {
	const known = sheet.irregularities
		.filter((one) => one.declared_by.some((position) => position !== "system") && one.id !== NAMED.call_no_spin)
		.map((irregularity) => ({ irregularity, can: declarable(irregularity, phase, positions) }));
	return [...known.filter(({ can }) => can !== "not_declared"), ...known.filter(({ can }) => can === "not_declared")];
}

function declarable(one: IrregularityInfo, phase: Phase, positions: readonly Role[]): Declarable {
	if (!one.voids) return "not_declared";
	if (!one.declared_by.some((position) => positions.includes(position as Role))) return "not_yours";
	if (NO_ROUND.has(phase)) return one.effect === "void_affected_rounds" && phase !== "stopped" ? "past" : "no_round";
	if (one.until === "rest" && AFTER_REST.has(phase)) return "too_late";
	return "now";
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

/** These follow from the measurements of a spin and are not reported separately. */
const MEASURED: ReadonlySet<string> = new Set(["same_direction", "too_few_revolutions"]);

/** The irregularities that can be reported with a spin: those that can be declared, are not measured, and are not found by the system. */
export function visible(sheet: Pick<GameInfo, "irregularities">, positions: readonly Role[]): IrregularityInfo[] {
	return listed(sheet, "spinning", positions)
		.filter(
			({ can, irregularity: { id, declared_by } }) =>
				can === "now" && !MEASURED.has(id) && !declared_by.includes("system"),
		)
		.map(({ irregularity }) => irregularity);
}
