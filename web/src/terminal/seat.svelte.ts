/** A seat at a table: its subscription and every part of the terminal that acts on it. */

import { type Api, Refused } from "../lib/api.ts";
import { GameData, loadTerminalData, type TerminalData } from "../lib/game_data.ts";
import { speech } from "../lib/i18n.svelte.ts";
import { money } from "../lib/money.ts";
import { readStored, writeStored } from "../lib/storage.ts";
import { TableSubscription } from "../lib/subscription.svelte.ts";
import type { Claimed, CurrentTerminal, OwnSeat, PublicTable } from "../wire.ts";
import { Betting } from "./betting.svelte.ts";
import { Cashier } from "./cashier.svelte.ts";
import { MoneyNotices } from "./money_notices.svelte.ts";
import { PlaySession } from "./play_session.svelte.ts";
import { keep, keptTickets } from "./pocket.ts";
import { RoundResults } from "./round_results.svelte.ts";
import { Sound } from "./sound.svelte.ts";
import { Toasts } from "./toasts.svelte.ts";
import { refusalText, t, text } from "./words.ts";

/** How often a guest asks for the end of a round at a seat that they have left. */
const CLAIM_MILLIS = 10_000;

export class Seat {
	readonly subscription: TableSubscription;
	readonly betting: Betting;
	readonly session: PlaySession;
	readonly cashier: Cashier;
	readonly results: RoundResults;
	readonly notices: MoneyNotices;
	readonly toasts = new Toasts();
	readonly sound = new Sound();
	data = $state.raw<TerminalData | null>(null);
	/** The reason why this seat cannot be used, or empty. */
	fault = $state("");
	/** Number of the last answered question that the Player has dismissed. */
	dismissedDispute = $state(0);
	#seatRequested = false;
	#loadedFor = "";
	#claimer: ReturnType<typeof setTimeout> | undefined;

	constructor(
		readonly api: Api,
		readonly terminal: CurrentTerminal,
	) {
		this.subscription = new TableSubscription(terminal.table);
		const data = () => this.data;
		this.dismissedDispute = readStored(this.#dismissedKey, 0);
		this.session = new PlaySession(this.subscription);
		this.betting = new Betting(this.subscription, data, this.toasts, (what) =>
			what === "placed" ? this.sound.chip() : this.sound.taken(),
		);
		this.cashier = new Cashier(this.subscription, terminal.table, terminal.seat);
		this.results = new RoundResults(this.subscription, data);
		this.notices = new MoneyNotices(
			this.subscription,
			(ticket) => this.cashier.receive(ticket),
			({ act, by, cents }) => {
				const title = this.data?.game.authority.titles[by] ?? t.staff;
				const sentence = act === "sold" ? "soldByStaff" : "redeemedByStaff";
				this.toasts.show(
					"good",
					text(sentence, { by: title, cents: money(cents, this.currency, speech.locale) }),
					"",
					15_000,
				);
			},
		);
		this.subscription.store.onNotice(({ to, event }) => {
			if (to === "all" && event.event === "bets_closed.v1") this.sound.noMoreBets();
			// An older message must not hide why the seat takes no new bets.
			if (event.event === "seat_paused.v1") this.toasts.dismiss();
		});
	}

	get table(): PublicTable | null {
		return this.subscription.store.table;
	}

	get own(): OwnSeat | null {
		return this.subscription.store.own;
	}

	dismissDispute(number: number): void {
		this.dismissedDispute = Math.max(number, this.dismissedDispute);
		writeStored(this.#dismissedKey, this.dismissedDispute);
	}

	get #dismissedKey(): string {
		return `dispute.${this.terminal.table}.${this.terminal.seat}`;
	}

	get currency(): string {
		return this.table?.facts.currency ?? "";
	}

	/**
	 * Takes the seat if it is free, and resumes pending requests.
	 * Call it when the connection is live and when a closed table has opened.
	 */
	resume(): void {
		const table = this.table;
		if (table === null) return;
		this.session.tick();
		if (this.own === null) {
			void this.#takeSeat();
			return;
		}
		void this.loadData(table.rulebook, this.own.terminal);
		this.cashier.resume();
		if (this.terminal.guest) void this.#takeTickets();
		void this.results.recall(this.api, this.terminal.seat);
	}

	/** Loads the game again if the rulebook has changed, which may happen when a table opens. */
	async loadData(rulebook: string, kind: string): Promise<void> {
		if (this.#loadedFor === rulebook + kind) return;
		this.#loadedFor = rulebook + kind;
		this.fault = "";
		try {
			this.data = await loadTerminalData(new GameData(this.api), rulebook, kind);
			this.betting.checkChip();
		} catch (error) {
			this.#loadedFor = "";
			this.fault = error instanceof Refused ? refusalText(error.refusal, error.reason) : String(error);
		}
	}

	/** Claims what bets at seats that this guest has left have won. Asks again while such a round is in progress. */
	async #claim(): Promise<void> {
		clearTimeout(this.#claimer);
		const have: string[] = [];
		for (;;) {
			const found: Claimed = await this.api.post<Claimed>("/api/claim", { have });
			for (const one of found.tickets) {
				keep(one);
				have.push(one.ticket);
			}
			if (found.tickets.length > 0) continue;
			if (found.waiting_cents > 0) this.#claimer = setTimeout(() => void this.#takeTickets(), CLAIM_MILLIS);
			return;
		}
	}

	/** Redeems the tickets that this guest has brought along from another table. */
	async #takeTickets(): Promise<void> {
		await this.#claim().catch(() => undefined);
		for (const { ticket, cents } of keptTickets()) {
			const redeemed = await this.cashier.redeemKept(ticket);
			if (redeemed === null) continue;
			this.toasts.show("plain", text("redeemed", { cents: money(cents, this.currency, speech.locale) }));
		}
	}

	end(): void {
		clearTimeout(this.#claimer);
		this.subscription.end();
	}

	async #takeSeat(): Promise<void> {
		if (this.#seatRequested) return;
		this.#seatRequested = true;
		this.fault = "";
		const answer = await this.subscription.ask({ do: "take_seat", terminal: this.terminal.terminal }).catch(() => null);
		if (answer === null || answer.ok) return;
		this.#seatRequested = false;
		this.fault = refusalText(answer.refusal ?? "", answer.reason ?? "");
	}
}
