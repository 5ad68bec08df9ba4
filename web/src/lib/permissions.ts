/** The commands and limits that the server currently allows this client at a table. This module decides none of them. */
import type { Command, Declarable, Permissions, ResolvedBounds, ResolvedLimits } from "../wire.ts";

export type CommandName = Command["do"];
/** The kind of round that a request names: the round in progress, or a settled one. */
export type NamedRound = "current" | "past";

export class TablePermissions {
	readonly #commands: ReadonlySet<string>;
	readonly #rounds: Record<NamedRound, ReadonlySet<string>>;
	readonly #approval: ReadonlySet<string>;
	readonly #declare: Readonly<Record<string, Declarable>>;

	constructor({ commands, current, past, approval, declare }: Permissions) {
		this.#commands = new Set(commands);
		this.#rounds = { current: new Set(current), past: new Set(past) };
		this.#approval = new Set(approval);
		this.#declare = declare ?? {};
	}

	/** Whether this client may send the command now. */
	may(command: CommandName): boolean {
		return this.#commands.has(command);
	}

	/** Whether this client may send the command for a round of this kind now. */
	mayName(command: CommandName, round: NamedRound): boolean {
		return this.#rounds[round].has(command);
	}

	/** Whether the command needs a second person's approval if it changes a settled round or resumes the table. */
	needsApproval(command: CommandName): boolean {
		return this.#approval.has(command);
	}

	/** Whether the server allows no command. */
	get none(): boolean {
		return this.#commands.size === 0;
	}

	/** For staff: whether a round is in progress, derived from the permission to refer it. False at a stopped table. */
	get inRound(): boolean {
		return this.mayName("refer", "current");
	}

	/**
	 * The server's refusal to declare an irregularity for a round of this kind.
	 * Null if it can be declared, undefined if only the system declares it.
	 */
	refusalToDeclare(id: string, round: NamedRound): Declarable[NamedRound] | null | undefined {
		const found = this.#declare[id];
		return found && (found[round] ?? null);
	}

	mayDeclare(id: string): boolean {
		return this.refusalToDeclare(id, "current") === null || this.refusalToDeclare(id, "past") === null;
	}
}

/** The permissions before the first message of the server. */
export const NO_PERMISSIONS = new TablePermissions({ commands: [] });

/** The limits of a position: its own, or else those of its type. All bets of the seat together limit it, too. */
export function boundsOf(
	limits: ResolvedLimits | null,
	{ id, type }: { readonly id: string; readonly type: string },
): ResolvedBounds | null {
	const found = limits?.positions[id] ?? limits?.types[type];
	if (!limits || !found) return null;
	return { min: found.min, max: lower(found.max, limits.seat.max) };
}

/** The lower of two maxima. Null if there is none. */
export function lower(one: number | null, other: number | null): number | null {
	return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
