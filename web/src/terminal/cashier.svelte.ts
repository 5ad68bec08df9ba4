/** Credits in, credits out. A cash-out is kept by its name until the Player has his ticket, whatever happens to the page.
 *
 * The ticket itself is never kept here: whoever has its number has the money.
 */

import type { Asked } from "../lib/connection.ts";
import { keep, kept } from "../lib/storage.ts";
import { Lost, type TableSubscription } from "../lib/subscription.svelte.ts";
import type { CashedOut, TableEvent } from "../wire.ts";
import { refusalWords } from "./words.ts";

export class Cashier {
	ticket = $state.raw<CashedOut | null>(null);
	/** A request whose answer has not come. */
	busy = $state(false);
	/** Why the last one came to nothing. */
	refused = $state("");
	readonly #key: string;

	constructor(
		readonly subscription: TableSubscription,
		table: string,
		seat: string,
	) {
		this.#key = `cash-out.${table}.${seat}`;
	}

	/** A cash-out that was asked for before the page was loaded anew is asked for again, under its old name. */
	resume(): void {
		const id = kept<string>(this.#key, "");
		if (id !== "" && this.ticket === null && !this.busy) void this.#cashOut(id);
	}

	cashOut(): Promise<void> {
		return this.#cashOut(this.subscription.newId());
	}

	/** The Player has noted it: from now on nobody can see it here. */
	done(): void {
		this.ticket = null;
		keep(this.#key, null);
	}

	/** What was added, or nothing. */
	async buy(cents: number): Promise<number | null> {
		const events = await this.#ask({ do: "buy_credits", cents });
		return typeof events === "string" ? null : cents;
	}

	/** What the ticket was worth, or nothing. */
	async redeem(ticket: string): Promise<number | null> {
		const events = await this.#ask({ do: "redeem_ticket", ticket });
		if (typeof events === "string") return null;
		return events.find((event) => event.event === "ticket_redeemed.v1")?.cents ?? null;
	}

	async #cashOut(id: string): Promise<void> {
		keep(this.#key, id);
		const events = await this.#ask({ do: "cash_out" }, id);
		// Lost is not refused: it may have been done, and is asked for again under the same name.
		if (events === "lost") return;
		if (events === "refused") keep(this.#key, null);
		else this.ticket = events.find((event) => event.event === "cashed_out.v1") ?? null;
	}

	async #ask(request: Asked, id?: string): Promise<readonly TableEvent[] | "refused" | "lost"> {
		this.busy = true;
		this.refused = "";
		try {
			const answer = await this.subscription.ask(request, id);
			if (answer.ok) return "events" in answer ? (answer.events ?? []) : [];
			this.refused = refusalWords(answer.refusal ?? "", answer.reason ?? "");
			return "refused";
		} catch (error) {
			if (error instanceof Lost) return "lost";
			throw error;
		} finally {
			this.busy = false;
		}
	}
}
