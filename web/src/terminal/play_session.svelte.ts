/** The Player's session at this seat: its start, its rounds, its net result and its loss limit.
 *
 * The net result comes from the server's record of rounds. It is never calculated from chips.
 */

import type { Api } from "../lib/api.ts";
import { onStoredChange, readStored, writeStored } from "../lib/storage.ts";
import type { TableSubscription } from "../lib/subscription.svelte.ts";
import type { History, PastRound, TableEvent } from "../wire.ts";
import { changed, type LossLimit, leftToLose, limitAt, NO_LIMIT } from "./loss_limit.ts";

interface Session {
	/** The start of the session, in milliseconds. */
	readonly since: number;
	/** The first round of this session. */
	readonly first: number;
	/** The net result of each round: returned minus staked. */
	readonly rounds: Record<number, number>;
	readonly limit: LossLimit;
}

const PAGE_SIZE = 100;

/** The last four digits of a ticket. Only the answer to a cash-out has the whole number; events have these digits. */
const lastFour = (ticket: string) => ticket.slice(-4);

export class PlaySession {
	#session = $state.raw<Session>({ since: 0, first: 0, rounds: {}, limit: NO_LIMIT });
	now = $state(0);
	readonly net = $derived(Object.values(this.#session.rounds).reduce((sum, cents) => sum + cents, 0));
	readonly rounds = $derived(Object.keys(this.#session.rounds).length);
	readonly limit: LossLimit = $derived(limitAt(this.#session.limit, this.now));
	readonly #key: string;
	readonly #unsubscribe: () => void;
	/**
	 * The session that a cash-out ended. Redeeming the same ticket continues it, with its loss limit.
	 * It is not stored, because anyone who knows the number of a ticket can redeem it.
	 */
	#ended: { readonly ticket: string; readonly session: Session } | null = null;

	constructor(
		readonly api: Api,
		readonly subscription: TableSubscription,
		readonly table: string,
		readonly seat: string,
	) {
		this.#key = `session.${table}.${seat}`;
		subscription.store.onNotice(({ to, event }) => {
			if (to === "seat") this.#handle(event);
		});
		// Two pages of one seat share one session and one limit.
		this.#unsubscribe = onStoredChange(this.#key, () => {
			this.#session = readStored(this.#key, this.#session);
		});
	}

	end(): void {
		this.#unsubscribe();
	}

	/** Starts or continues the session. Call it after every snapshot: it also loads missed rounds. */
	async begin(round: number): Promise<void> {
		this.tick();
		if (this.#session.since === 0) {
			this.#session = readStored<Session>(this.#key, { since: this.now, first: round, rounds: {}, limit: NO_LIMIT });
			this.#store();
		}
		await this.#recount();
	}

	tick(): void {
		this.now = this.subscription.now();
	}

	get millis(): number {
		return this.#session.since === 0 ? 0 : Math.max(0, this.now - this.#session.since);
	}

	setLimit(cents: number | null): void {
		this.tick();
		this.#session = { ...this.#session, limit: changed(this.#session.limit, cents, this.now) };
		this.#store();
	}

	leftToLose(staked: number): number | null {
		return leftToLose(this.limit, this.net, staked);
	}

	#handle(event: TableEvent): void {
		switch (event.event) {
			case "round_settled.v1":
				this.#add(event.round, event.returned - event.staked);
				break;
			case "round_voided.v1":
				this.#add(event.round, 0);
				break;
			case "round_corrected.v1":
			case "round_reversed.v1":
				void this.#recount();
				break;
			case "cashed_out.v1":
			case "cashed_out.v2":
				this.#endUnlessBetting(lastFour(event.ticket));
				break;
			case "ticket_redeemed.v1":
			case "ticket_redeemed.v2":
				this.#continueWith(lastFour(event.ticket));
				break;
			case "bets_placed.v1":
				this.#ended = null;
				break;
			default:
				break;
		}
	}

	/** A cash-out without bets on the layout ends the session and starts a new one. */
	#endUnlessBetting(ticket: string): void {
		if (this.subscription.store.own?.staked) return;
		this.tick();
		this.#ended = { ticket, session: this.#session };
		const next = (this.subscription.store.table?.round ?? 0) + 1;
		this.#session = { since: this.now, first: next, rounds: {}, limit: NO_LIMIT };
		this.#store();
	}

	#continueWith(ticket: string): void {
		if (this.#ended?.ticket !== ticket) return;
		this.#session = this.#ended.session;
		this.#ended = null;
		this.#store();
	}

	#add(round: number, net: number): void {
		if (round < this.#session.first) return;
		this.#session = { ...this.#session, rounds: { ...this.#session.rounds, [round]: net } };
		this.#store();
	}

	async #recount(): Promise<void> {
		let before: number | null = null;
		try {
			do {
				const more: string = before === null ? "" : `&before=${before}`;
				const path = `/api/tables/${encodeURIComponent(this.table)}/rounds?count=${PAGE_SIZE}${more}`;
				const history: History = await this.api.get<History>(path);
				this.#count(history.rounds);
				before = (history.rounds.at(-1)?.round ?? 0) > this.#session.first ? history.before : null;
			} while (before !== null);
		} catch {
			// Keep the known rounds. They are requested again after the next reconnect.
		}
	}

	#count(rounds: readonly PastRound[]): void {
		const counted = { ...this.#session.rounds };
		for (const { round, seats } of rounds) {
			const own = seats[this.seat];
			if (own !== undefined && round >= this.#session.first) counted[round] = own.returned - own.staked;
		}
		this.#session = { ...this.#session, rounds: counted };
		this.#store();
	}

	#store(): void {
		writeStored(this.#key, this.#session);
	}
}
