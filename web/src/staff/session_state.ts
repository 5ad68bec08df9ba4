/** What the house's word on who somebody is means for a screen. Pure. */
import type { Me, Role } from "../wire.ts";

/** Positions that are worked in at the console of one table; the house lets them act nowhere else. */
export const AT_A_CONSOLE: ReadonlySet<Role> = new Set<Role>(["dealer", "cashier"]);

/**
 * `asking`: not known yet. `out`: nobody is logged in. `locked`: somebody is, and has to unlock.
 * `elsewhere`: somebody is who works at another console alone. `in`: somebody may work here.
 */
export type SessionState = "asking" | "out" | "locked" | "elsewhere" | "in";

export function sessionState(me: Me | null, console: string | null): SessionState {
	if (!me) return "asking";
	// A browser that is a Player Terminal as well is nobody's console.
	if (me.kind !== "person") return "out";
	if (me.locked) return "locked";
	if (me.console !== console && me.positions.every((role) => AT_A_CONSOLE.has(role))) return "elsewhere";
	return "in";
}
