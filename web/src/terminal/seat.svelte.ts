/** A seat at a table: its subscription and every part of the terminal that acts on it. */

import { type Api, Refused } from "../lib/api.ts";
import { GameData, loadTerminalData, type TerminalData } from "../lib/game_data.ts";
import { TableSubscription } from "../lib/subscription.svelte.ts";
import type { CurrentTerminal, OwnSeat, PublicTable } from "../wire.ts";
import { Betting } from "./betting.svelte.ts";
import { Cashier } from "./cashier.svelte.ts";
import { PlaySession } from "./play_session.svelte.ts";
import { RoundResults } from "./round_results.svelte.ts";
import { Sound } from "./sound.svelte.ts";
import { Toasts } from "./toasts.svelte.ts";
import { refusalWords } from "./words.ts";

export class Seat {
	readonly subscription: TableSubscription;
	readonly betting: Betting;
	readonly session: PlaySession;
	readonly cashier: Cashier;
	readonly results: RoundResults;
	readonly toasts = new Toasts();
	readonly sound = new Sound();
	sheets = $state.raw<TerminalData | null>(null);
	/** Why this seat cannot be played, in words. */
	fault = $state("");
	#asked = false;
	#sheetsFor = "";

	constructor(
		readonly api: Api,
		readonly terminal: CurrentTerminal,
	) {
		this.subscription = new TableSubscription(terminal.table);
		const sheets = () => this.sheets;
		this.session = new PlaySession(api, this.subscription, terminal.table, terminal.seat);
		this.betting = new Betting(this.subscription, sheets, this.session, this.toasts, (what) =>
			what === "placed" ? this.sound.chip() : this.sound.taken(),
		);
		this.cashier = new Cashier(this.subscription, terminal.table, terminal.seat);
		this.results = new RoundResults(this.subscription, sheets);
		this.subscription.store.onNotice(({ to, event }) => {
			if (to === "all" && event.event === "bets_closed.v1") this.sound.noMoreBets();
		});
	}

	get table(): PublicTable | null {
		return this.subscription.store.table;
	}

	get own(): OwnSeat | null {
		return this.subscription.store.own;
	}

	get currency(): string {
		return this.table?.facts.currency ?? "";
	}

	/** To be called when the line is live, and when a table that was closed is open: takes the seat if nobody has, and asks for what was left open. */
	arrive(): void {
		const table = this.table;
		if (table === null) return;
		void this.session.begin(table.round);
		if (this.own === null) {
			void this.#takeSeat();
			return;
		}
		void this.learn(table.rulebook, this.own.terminal);
		this.cashier.resume();
		void this.results.recall(this.api, this.terminal.seat);
	}

	/** A table that is opened again may play by another rulebook. */
	async learn(rulebook: string, kind: string): Promise<void> {
		if (this.#sheetsFor === rulebook + kind) return;
		this.#sheetsFor = rulebook + kind;
		this.fault = "";
		try {
			this.sheets = await loadTerminalData(new GameData(this.api), rulebook, kind);
			if (this.betting.chip === 0) this.betting.chooseFrom(this.table?.facts.chips ?? []);
		} catch (error) {
			this.#sheetsFor = "";
			this.fault = error instanceof Refused ? refusalWords(error.refusal, error.reason) : String(error);
		}
	}

	end(): void {
		this.session.end();
		this.subscription.end();
	}

	async #takeSeat(): Promise<void> {
		if (this.#asked) return;
		this.#asked = true;
		this.fault = "";
		const answer = await this.subscription.ask({ do: "take_seat", terminal: this.terminal.terminal }).catch(() => null);
		if (answer === null || answer.ok) return;
		this.#asked = false;
		this.fault = refusalWords(answer.refusal ?? "", answer.reason ?? "");
	}
}
