/** Buys credits, redeems tickets and cashes out.
 *
 * The id of a cash-out is stored until the Player has the ticket, so that a reload does not lose it.
 * The ticket itself is stored only for a guest who takes it along, because anyone who knows its number can redeem it.
 */

import type { ClientRequest } from "../lib/connection.ts";
import { readStored, writeStored } from "../lib/storage.ts";
import { ConnectionLost, type TableSubscription } from "../lib/subscription.svelte.ts";
import type { CashedOut, TableEvent } from "../wire.ts";
import { drop, isSpent, keep } from "./pocket.ts";
import { refusalText } from "./words.ts";

export class Cashier {
	ticket = $state.raw<CashedOut | null>(null);
	/** Whether a request is pending. */
	busy = $state(false);
	/** The reason why the last request was refused, or empty. */
	refused = $state("");
	/** The code of the last refusal, or empty. */
	#code = "";
	readonly #key: string;

	constructor(
		readonly subscription: TableSubscription,
		table: string,
		seat: string,
	) {
		this.#key = `cash-out.${table}.${seat}`;
	}

	/** Repeats a cash-out that was requested before the page was reloaded, with the same id. */
	resume(): void {
		const id = readStored<string>(this.#key, "");
		if (id !== "" && this.ticket === null && !this.busy) void this.#cashOut(id);
	}

	cashOut(): Promise<void> {
		return this.#cashOut(this.subscription.newId());
	}

	/** Asks staff to cash out this seat. Returns whether the request is on record. */
	async askStaff(): Promise<boolean> {
		return typeof (await this.#ask({ do: "request_cash_out" })) !== "string";
	}

	/** Shows a ticket that staff issued to this seat. */
	receive(ticket: CashedOut): void {
		this.ticket = ticket;
	}

	/** Cashes out to a ticket that this browser keeps for the next table. Returns whether the credits are on it. */
	async takeAlong(): Promise<boolean> {
		await this.cashOut();
		if (this.ticket === null) return false;
		keep(this.ticket);
		this.done();
		return true;
	}

	/** Redeems a ticket that this browser has kept. Returns its amount, or null if it was not redeemed now. */
	async redeemKept(ticket: string): Promise<number | null> {
		this.#code = "";
		const cents = await this.redeem(ticket);
		if (cents !== null || isSpent(this.#code)) drop(ticket);
		return cents;
	}

	/** Hides the ticket after the Player has noted it. */
	done(): void {
		this.ticket = null;
		writeStored(this.#key, null);
	}

	/** Buys credits. Returns the amount, or null if the request failed. */
	async buy(cents: number): Promise<number | null> {
		const events = await this.#ask({ do: "buy_credits", cents });
		return typeof events === "string" ? null : cents;
	}

	/** Redeems a ticket. Returns its amount, or null if the request failed. */
	async redeem(ticket: string): Promise<number | null> {
		const events = await this.#ask({ do: "redeem_ticket", ticket });
		if (typeof events === "string") return null;
		return events.find((event) => event.event === "ticket_redeemed.v1")?.cents ?? null;
	}

	async #cashOut(id: string): Promise<void> {
		writeStored(this.#key, id);
		const events = await this.#ask({ do: "cash_out" }, id);
		// A lost request may have been executed, so its id stays stored and it is repeated later.
		if (events === "lost") return;
		if (events === "refused") writeStored(this.#key, null);
		else this.ticket = events.find((event) => event.event === "cashed_out.v1") ?? null;
	}

	async #ask(request: ClientRequest, id?: string): Promise<readonly TableEvent[] | "refused" | "lost"> {
		this.busy = true;
		this.refused = "";
		try {
			const answer = await this.subscription.ask(request, id);
			if (answer.ok) return "events" in answer ? (answer.events ?? []) : [];
			this.#code = answer.refusal ?? "";
			this.refused = refusalText(this.#code, answer.reason ?? "");
			return "refused";
		} catch (error) {
			if (error instanceof ConnectionLost) return "lost";
			throw error;
		} finally {
			this.busy = false;
		}
	}
}
