/** Who may do what, as the house and its rulebooks say it. For offering buttons alone: the house decides when it is asked. */
import type { GameInfo, IrregularityInfo, Role, StaffPosition } from "../wire.ts";

interface Document {
	paths: Record<string, Record<string, { operationId?: string; description?: string }>>;
}

export const ROLES: readonly Role[] = [
	"cashier",
	"dealer",
	"pit_supervisor",
	"pit_manager",
	"shift_manager",
	"casino_manager",
	"auditor",
];

/** Operation → positions, for those operations for which the house's own description of itself names positions. */
export type Powers = ReadonlyMap<string, ReadonlySet<Role>>;

export function powersOf(document: Document): Powers {
	const powers = new Map<string, ReadonlySet<Role>>();
	for (const methods of Object.values(document.paths)) {
		for (const { operationId, description } of Object.values(methods)) {
			const named = ROLES.filter((role) => new RegExp(`\\b${role}\\b`).test(description ?? ""));
			// "except the auditor" names nobody who may.
			if (operationId && named.some((role) => role !== "auditor")) powers.set(operationId, new Set(named));
		}
	}
	return powers;
}

export type Positions = readonly (Role | StaffPosition)[];

export function mayDo(powers: Powers, operation: string, positions: Positions): boolean {
	const may = powers.get(operation);
	return may !== undefined && positions.some((one) => may.has(one as Role));
}

const anyOf = (positions: Positions, may: readonly StaffPosition[]): boolean =>
	positions.some((one) => may.includes(one as StaffPosition));

/** Whether somebody is in a position that works at this table at all. */
export function worksAt(game: GameInfo, positions: Positions): boolean {
	return anyOf(positions, game.authority.ladder);
}

/** What somebody may declare: only what makes a round void is declared. */
export function declarable(game: GameInfo, positions: Positions): IrregularityInfo[] {
	return game.irregularities.filter((one) => one.voids && anyOf(positions, one.declared_by));
}

/** Whether a round that is settled can be declared void by it. */
export function reachesBack(one: IrregularityInfo): boolean {
	return one.effect === "void_affected_rounds";
}

/** Whom the rulebook names for a result that is not the wheel's; else whoever stands above the lowest. */
export function mayCorrect(game: GameInfo, positions: Positions): boolean {
	const named = game.irregularities.filter((one) => one.effect === "settle_by_wheel").flatMap((one) => one.declared_by);
	return anyOf(positions, named.length ? named : game.authority.ladder.slice(1));
}

/** Whom the rulebook names; those above too, where it says so of this or of everything. */
export function mayDecide(game: GameInfo, positions: Positions): boolean {
	const { ladder, decides, higher_may_act } = game.authority;
	const above = decides.or_above || higher_may_act !== null;
	return anyOf(positions, above ? ladder.slice(ladder.indexOf(decides.position)) : [decides.position]);
}
