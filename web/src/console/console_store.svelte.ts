/** The console's own memory beside the table's: what was asked, what was refused, who read what. It acts on nobody's behalf. */

import { errorMessage } from "../lib/api.ts";
import type { Answered, Asked } from "../lib/connection.ts";
import { type RefusalMessage, refusalMessage } from "../lib/refusals.ts";
import { Lost, TableSubscription } from "../lib/subscription.svelte.ts";
import type { TableNotice } from "../lib/table_store.svelte.ts";
import type { StaffSession } from "../staff/session.svelte.ts";
import type { Phase, PublicTable, ReadBy, ShownSeat, SpinObserved, TableEvent } from "../wire.ts";
import { Approvals } from "./approvals.svelte.ts";
import { lineOf } from "./event_log.ts";
import { W } from "./words.ts";

const KEPT_LINES = 40;
/** A second tap of a nervous finger must not be the next step already. */
const CALM_MILLIS = 700;

export interface Reading {
	readonly round: number;
	readonly outcome: string;
	readonly by: ReadBy;
}

export class ConsoleStore {
	readonly subscription: TableSubscription;
	readonly approvals: Approvals;
	refused = $state.raw<RefusalMessage | null>(null);
	/** What was done at the cage, to be read out to the Player. */
	note = $state("");
	/** A ticket that was paid out. Its number stands nowhere else: it stays until somebody has noted it. */
	ticket = $state("");
	/** Who read the outcome of this round; not known where it was read before this screen came. */
	reading = $state.raw<Reading | null>(null);
	observed = $state.raw<SpinObserved | null>(null);
	/** Why a round is held although a result is registered. */
	held = $state.raw<RefusalMessage | null>(null);
	lines = $state.raw<readonly string[]>([]);
	/** Whether somebody with the authority has named the result of this round. */
	#named = $state(false);
	#referred = $state.raw<{ round: number; question: string } | null>(null);
	#calm = $state(true);
	#phase: Phase | null = null;

	constructor(
		readonly session: StaffSession,
		readonly id: string,
	) {
		this.subscription = new TableSubscription(id);
		this.approvals = new Approvals(session.api);
		this.subscription.store.onNotice((notice) => this.#hear(notice));
	}

	get table(): PublicTable | null {
		return this.subscription.store.table;
	}

	get seats(): Record<string, ShownSeat> {
		return this.subscription.store.pit?.seats ?? {};
	}

	/** Behind a lock nothing is pressed, whatever the line is like. */
	get live(): boolean {
		return this.subscription.status === "live" && this.session.state === "in";
	}

	/** What the wheel reads where the console has registered something else: confirming would be refused. */
	get wheelSays(): string | null {
		const [table, reading] = [this.table, this.reading];
		if (table?.phase !== "registered" || reading?.round !== table.round || reading.by !== "wheel" || this.#named)
			return null;
		return reading.outcome === table.outcome ? null : reading.outcome;
	}

	/** What is to be decided of this round. A snapshot has it; what is referred later is heard. */
	get matter(): string {
		const round = this.table?.round ?? 0;
		if (this.#referred?.round === round) return this.#referred.question;
		return this.subscription.store.pit?.matters[round] ?? "";
	}

	/** Whether a step can be taken: connected, nothing unanswered, and the last step a moment ago. */
	get ready(): boolean {
		return this.live && this.subscription.waiting.length === 0 && this.#calm;
	}

	end(): void {
		this.subscription.end();
		this.approvals.end();
	}

	/** Asks the table; the answer where it happened, nothing where it did not: then what is to say is shown. */
	async ask(request: Asked): Promise<readonly TableEvent[] | null> {
		this.refused = null;
		this.note = "";
		try {
			return await this.#answered(await this.subscription.ask(request));
		} catch (error) {
			this.refused =
				error instanceof Lost
					? { refusal: "lost", sentence: W.lostRequest, detail: "", clause: "" }
					: errorMessage(error);
			return null;
		}
	}

	async #answered(answer: Answered): Promise<readonly TableEvent[] | null> {
		if (answer.ok) return "events" in answer ? (answer.events ?? []) : [];
		if ("proposal" in answer && answer.proposal) {
			await this.approvals.wait(answer.proposal);
			return null;
		}
		const message = refusalMessage(answer);
		this.refused = message;
		if (message.refusal === "readings_disagree") this.held = message;
		if (message.refusal === "console_is_locked" || message.refusal === "not_logged_in") await this.session.refresh();
		return null;
	}

	/** To be called whenever the phase may be another. */
	settleDown(phase: Phase | undefined): () => void {
		if (phase === undefined || phase === this.#phase) return () => {};
		const first = this.#phase === null;
		this.#phase = phase;
		this.refused = null;
		if (phase !== "registered") this.held = null;
		if (first) return () => {};
		this.#calm = false;
		const timer = setTimeout(() => {
			this.#calm = true;
		}, CALM_MILLIS);
		return () => {
			clearTimeout(timer);
			this.#calm = true;
		};
	}

	#hear(notice: TableNotice): void {
		const { event } = notice;
		if (notice.to === "all") {
			if (event.event === "ball_rested.v1") {
				this.reading = { round: event.round, outcome: event.outcome, by: event.read_by ?? "dealer" };
			} else if (event.event === "spin_observed.v1") this.observed = event;
			else if (event.event === "bets_opened.v1") this.#begin();
			else if (event.event === "result_registered.v1") this.#registered(Boolean(event.resolved_by));
			return;
		}
		if (notice.to !== "staff") return;
		this.approvals.hear(notice.event);
		if (notice.event.event === "matter_referred.v1") this.#referred = notice.event;
		const line = lineOf(notice.event, this.table?.facts.currency ?? "");
		if (line) this.lines = [line, ...this.lines].slice(0, KEPT_LINES);
	}

	#registered(named: boolean): void {
		this.#named ||= named;
		this.held = null;
		this.refused = null;
	}

	#begin(): void {
		this.#named = false;
		this.reading = null;
		this.observed = null;
		this.held = null;
	}
}
