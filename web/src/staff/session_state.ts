/** Derives the state of a staff session from the identity that the server reports. */
import type { CurrentUser } from "../wire.ts";

/**
 * `loading`: not known yet. `out`: not logged in. `locked`: the person has to unlock the screen.
 * `elsewhere`: the person may work only at another console. `in`: the person may work here.
 */
export type SessionState = "loading" | "out" | "locked" | "elsewhere" | "in";

export function sessionState(me: CurrentUser | null, console: string | null): SessionState {
	if (!me) return "loading";
	// A browser that is a Player Terminal cannot be a console.
	if (me.kind !== "person") return "out";
	if (me.locked) return "locked";
	if (me.console !== console && me.everywhere.length === 0) return "elsewhere";
	return "in";
}
