/** The reactive state of the console: the table, the last refusal, readings, pending approvals and the event log. */

import { errorMessage } from "../lib/api.ts";
import type { ClientRequest, ServerAnswer } from "../lib/connection.ts";
import type { TablePermissions } from "../lib/permissions.ts";
import { type RefusalMessage, refusalMessage } from "../lib/refusals.ts";
import { ConnectionLost, TableSubscription } from "../lib/subscription.svelte.ts";
import type { TableNotice } from "../lib/table_store.svelte.ts";
import type { StaffSession } from "../staff/session.svelte.ts";
import type { Phase, PublicTable, ReadBy, SeatView, SpinObserved, TableEvent } from "../wire.ts";
import { Approvals } from "./approvals.svelte.ts";
import { describeEvent } from "./event_log.ts";
import { W } from "./words.ts";

const MAX_LOG_ENTRIES = 40;
/** The pause after a phase change, so that an accidental double tap does not trigger the next action. */
const PAUSE_MILLIS = 700;

export interface Reading {
	readonly round: number;
	readonly outcome: string;
	readonly by: ReadBy;
}

export class ConsoleStore {
	readonly subscription: TableSubscription;
	readonly approvals: Approvals;
	refused = $state.raw<RefusalMessage | null>(null);
	/** The last payment at the cage, to be read out to the Player. */
	note = $state("");
	/** The ticket of the last cash-out. Its number is shown nowhere else, so it stays until it is dismissed. */
	ticket = $state("");
	/** The reading of this round's outcome, or null if it was made before this screen was loaded. */
	reading = $state.raw<Reading | null>(null);
	observed = $state.raw<SpinObserved | null>(null);
	/** The reason why a round with a registered result is on hold, or null. */
	onHold = $state.raw<RefusalMessage | null>(null);
	/** Descriptions of the last events, newest first. */
	log = $state.raw<readonly string[]>([]);
	/** Whether an authorised person has corrected the result of this round. */
	#corrected = $state(false);
	#referred = $state.raw<{ round: number; question: string } | null>(null);
	#isPaused = $state(false);
	#phase: Phase | null = null;

	constructor(
		readonly session: StaffSession,
		readonly id: string,
	) {
		this.subscription = new TableSubscription(id);
		this.approvals = new Approvals(session.api);
		this.subscription.store.onNotice((notice) => this.#handle(notice));
	}

	get table(): PublicTable | null {
		return this.subscription.store.table;
	}

	/** The commands that this person may send to the table now. */
	get permissions(): TablePermissions {
		return this.subscription.store.permissions;
	}

	get seats(): Record<string, SeatView> {
		return this.subscription.store.pit?.seats ?? {};
	}

	/** Whether the console is connected and unlocked. */
	get live(): boolean {
		return this.subscription.status === "live" && this.session.state === "in";
	}

	/** The wheel's reading if it differs from the registered outcome, or else null. A confirmation would be refused then. */
	get wheelReading(): string | null {
		const [table, reading] = [this.table, this.reading];
		if (table?.phase !== "registered" || reading?.round !== table.round || reading.by !== "wheel" || this.#corrected)
			return null;
		return reading.outcome === table.outcome ? null : reading.outcome;
	}

	/** The question about this round that waits for a decision, or empty. */
	get matter(): string {
		const round = this.table?.round ?? 0;
		if (this.#referred?.round === round) return this.#referred.question;
		return this.subscription.store.pit?.matters[round] ?? "";
	}

	/** Whether an action can be taken: connected, no request pending, and no recent phase change. */
	get ready(): boolean {
		return this.live && this.subscription.waiting.length === 0 && !this.#isPaused;
	}

	end(): void {
		this.subscription.end();
		this.approvals.end();
	}

	/** Sends a request to the table. Returns its events, or null if it was refused or needs approval. */
	async ask(request: ClientRequest): Promise<readonly TableEvent[] | null> {
		this.refused = null;
		this.note = "";
		try {
			return await this.#handleAnswer(await this.subscription.ask(request));
		} catch (error) {
			this.refused =
				error instanceof ConnectionLost
					? { refusal: "lost", sentence: W.answerLost, detail: "", clause: "" }
					: errorMessage(error);
			return null;
		}
	}

	async #handleAnswer(answer: ServerAnswer): Promise<readonly TableEvent[] | null> {
		if (answer.ok) return "events" in answer ? (answer.events ?? []) : [];
		if ("proposal" in answer && answer.proposal) {
			await this.approvals.track(answer.proposal);
			return null;
		}
		const message = refusalMessage(answer);
		this.refused = message;
		if (message.refusal === "readings_disagree") this.onHold = message;
		if (message.refusal === "console_is_locked" || message.refusal === "not_logged_in") await this.session.refresh();
		return null;
	}

	/** Pauses all actions briefly if the phase has changed. Returns a function that ends the pause. */
	pauseAfter(phase: Phase | undefined): () => void {
		if (phase === undefined || phase === this.#phase) return () => {};
		const first = this.#phase === null;
		this.#phase = phase;
		this.refused = null;
		if (phase !== "registered") this.onHold = null;
		if (first) return () => {};
		this.#isPaused = true;
		const timer = setTimeout(() => {
			this.#isPaused = false;
		}, PAUSE_MILLIS);
		return () => {
			clearTimeout(timer);
			this.#isPaused = false;
		};
	}

	#handle(notice: TableNotice): void {
		const { event } = notice;
		if (notice.to === "all") {
			if (event.event === "ball_rested.v1") {
				this.reading = { round: event.round, outcome: event.outcome, by: event.read_by ?? "dealer" };
			} else if (event.event === "spin_observed.v1") this.observed = event;
			else if (event.event === "bets_opened.v1") this.#startRound();
			else if (event.event === "result_registered.v1") this.#handleRegistered(Boolean(event.resolved_by));
			return;
		}
		if (notice.to !== "staff") return;
		this.approvals.handle(notice.event);
		if (notice.event.event === "matter_referred.v1") this.#referred = notice.event;
		const entry = describeEvent(notice.event, this.table?.facts.currency ?? "");
		if (entry) this.log = [entry, ...this.log].slice(0, MAX_LOG_ENTRIES);
	}

	#handleRegistered(isCorrection: boolean): void {
		this.#corrected ||= isCorrection;
		this.onHold = null;
		this.refused = null;
	}

	#startRound(): void {
		this.#corrected = false;
		this.reading = null;
		this.observed = null;
		this.onHold = null;
	}
}
