/** What the server says that this client may ask of a table, and within which limits. No right, phase or limit is decided here. */
import type { Command, Declarable, Permissions, ResolvedBounds, ResolvedLimits } from "../wire.ts";

export type CommandName = Command["do"];
/** The round that a request names: the one in progress, or a settled one. */
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

	/** Whether the command may name such a round now. */
	mayName(command: CommandName, round: NamedRound): boolean {
		return this.#rounds[round].has(command);
	}

	/** Whether the command needs a second person's approval if it changes a settled round or resumes the table. */
	needsApproval(command: CommandName): boolean {
		return this.#approval.has(command);
	}

	/** Whether this client may ask for nothing at all. */
	get none(): boolean {
		return this.#commands.size === 0;
	}

	/** For staff: whether there is a round in progress that a request may be about. Every round in progress can be referred. */
	get inRound(): boolean {
		return this.mayName("refer", "current");
	}

	/** Why an irregularity cannot be declared for such a round: null if it can, undefined if people never declare it. */
	refusalToDeclare(id: string, round: NamedRound): Declarable[NamedRound] | null | undefined {
		const found = this.#declare[id];
		return found && (found[round] ?? null);
	}

	mayDeclare(id: string): boolean {
		return this.refusalToDeclare(id, "current") === null || this.refusalToDeclare(id, "past") === null;
	}
}

/** Before the server has said anything. */
export const NO_PERMISSIONS = new TablePermissions({ commands: [] });

/** The limits of a position, which are those of its type unless it has its own. */
export function boundsOf(
	limits: ResolvedLimits | null,
	{ id, type }: { readonly id: string; readonly type: string },
): ResolvedBounds | null {
	return limits?.positions[id] ?? limits?.types[type] ?? null;
}
