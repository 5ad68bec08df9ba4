/** The Player's session: its time, its net result and its protection, as the server keeps them.
 *
 * Nothing is calculated here. The server refuses bets by the same limits.
 */

import type { ClientRequest } from "../lib/connection.ts";
import { ConnectionLost, type TableSubscription } from "../lib/subscription.svelte.ts";
import type { SessionView } from "../wire.ts";
import { refusalText } from "./words.ts";

export const LIMITS = ["loss_cents", "stake_cents", "session_stake_cents", "minutes", "check_minutes"] as const;
export type LimitName = (typeof LIMITS)[number];

/** Whether a limit counts minutes and not money. */
export const isTime = (name: LimitName) => name === "minutes" || name === "check_minutes";

/** The reason why the Player cannot bet now, apart from amounts. Empty if there is none. */
export type Hold = "" | "break" | "time" | "check";

export class PlaySession {
	now = $state(0);
	/** Whether a request is pending. */
	busy = $state(false);
	/** The reason why the last request was refused, or empty. */
	refused = $state("");

	constructor(readonly subscription: TableSubscription) {}

	get view(): SessionView | null {
		return this.subscription.store.own?.session ?? null;
	}

	get net(): number {
		return this.view?.net_cents ?? 0;
	}

	get millis(): number {
		return this.view === null || this.now === 0 ? 0 : Math.max(0, this.now - this.view.began);
	}

	get hold(): Hold {
		const { break_until, ends_at, check_due_at } = this.view ?? {};
		if (break_until && this.now < break_until) return "break";
		if (ends_at && this.now >= ends_at) return "time";
		return check_due_at && this.now >= check_due_at ? "check" : "";
	}

	/** When the Player called an attendant who has not come yet, or null. */
	get calledAt(): number | null {
		return this.subscription.store.own?.called_at ?? null;
	}

	tick(): void {
		this.now = this.subscription.now();
	}

	setLimit(name: LimitName, value: number | null): Promise<boolean> {
		return this.#ask({ do: "set_protection", [name]: value });
	}

	takeBreak(minutes: number): Promise<boolean> {
		return this.#ask({ do: "take_break", minutes });
	}

	acknowledge(): Promise<boolean> {
		return this.#ask({ do: "acknowledge_check" });
	}

	callAttendant(): Promise<boolean> {
		return this.#ask({ do: "call_attendant" });
	}

	async #ask(request: ClientRequest): Promise<boolean> {
		this.busy = true;
		this.refused = "";
		try {
			const answer = await this.subscription.ask(request);
			if (!answer.ok && "refusal" in answer) this.refused = refusalText(answer.refusal ?? "", answer.reason ?? "");
			return answer.ok;
		} catch (error) {
			if (error instanceof ConnectionLost) return false;
			throw error;
		} finally {
			this.tick();
			this.busy = false;
		}
	}
}
