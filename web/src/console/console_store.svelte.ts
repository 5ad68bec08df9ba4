/** The reactive state of the console: the table, the last refusal, readings, pending approvals and the event log. */

import { errorMessage } from "../lib/api.ts";
import type { ClientRequest, ServerAnswer } from "../lib/connection.ts";
import { filled } from "../lib/i18n.svelte.ts";
import { money } from "../lib/money.ts";
import type { TablePermissions } from "../lib/permissions.ts";
import { type RefusalMessage, refusalMessage } from "../lib/refusals.ts";
import { ConnectionLost, TableSubscription } from "../lib/subscription.svelte.ts";
import type { TableNotice } from "../lib/table_store.svelte.ts";
import { describeEvent, describeWithheld, isReading } from "../staff/event_log.ts";
import { NO_EVIDENCE, notMeasured, readingOf } from "../staff/evidence.ts";
import type { StaffSession } from "../staff/session.svelte.ts";
import type { DealerOfRecord, Evidence, GameInfo, Phase, PublicTable, Reading, SeatView, TableEvent } from "../wire.ts";
import type { Obstacle } from "./actions.ts";
import { Approvals } from "./approvals.svelte.ts";
import { W } from "./words.ts";

const MAX_LOG_ENTRIES = 40;
/** The pause after a phase change, so that an accidental double tap does not trigger the next action. */
const PAUSE_MILLIS = 700;

export type AskedReading = Extract<ClientRequest, { do: "ball_at_rest" }>;

export class ConsoleStore {
	readonly subscription: TableSubscription;
	readonly approvals: Approvals;
	refused = $state.raw<RefusalMessage | null>(null);
	/** The last payment at the cage, to be read out to the Player. */
	note = $state("");
	/** The ticket of the last cash-out. Its number is shown nowhere else, so it stays until it is dismissed. */
	ticket = $state("");
	/** The reading that was refused because the wheel's line reported no ball. It is sent again with a reason. */
	unreported = $state.raw<AskedReading | null>(null);
	/** The last events that are described in the log, newest first. */
	#logged = $state.raw<readonly TableEvent[]>([]);
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

	/** The Dealer of record, or null. */
	get dealer(): DealerOfRecord | null {
		return this.subscription.store.pit?.dealer ?? null;
	}

	/** Whether this person is the Dealer of record. */
	get isDealer(): boolean {
		return this.dealer !== null && this.dealer.name === this.session.me?.person;
	}

	/** Whether another person deals and this one, who may not take the table from them, only looks on. */
	get looksOn(): boolean {
		// Only supervisors of the table may pause a seat.
		const supervises = this.permissions.may("pause_seat");
		return this.dealer !== null && !this.isDealer && this.permissions.may("take_table") && !supervises;
	}

	/** Whether the console is connected and unlocked. */
	get live(): boolean {
		return this.subscription.status === "live" && this.session.state === "in";
	}

	/** The evidence of the round in progress. */
	get evidence(): Evidence {
		return this.subscription.store.pit?.evidence ?? NO_EVIDENCE;
	}

	/** The outcome that is registered in this round, or null. It is not a reading. */
	get registered(): string | null {
		return this.subscription.store.pit?.registered ?? null;
	}

	/** The reading that this person has made in this round, or null. */
	get ownReading(): Reading | null {
		return readingOf(this.evidence, this.session.me?.person ?? null);
	}

	/** Whether the readings and the registered outcome differ. No screen shows a number then. */
	get differs(): boolean {
		return this.table?.readings_disagree ?? false;
	}

	/** Why a result cannot be confirmed yet, or null. */
	obstacle(game: Pick<GameInfo, "wheel">): Obstacle {
		if (this.differs) return "readings_differ";
		if (this.subscription.store.pit?.reports_disagree) return "reports_differ";
		return notMeasured(game, this.evidence).length > 0 ? "not_attested" : null;
	}

	/**
	 * Descriptions of the last events, newest first. Until a result is registered, the readings of the round have no
	 * number: the person who registers it must look at the wheel again, and not at the first entry.
	 */
	get log(): readonly string[] {
		const [round, currency] = [this.table?.round ?? 0, this.table?.facts.currency ?? ""];
		const withholds = this.table?.phase === "at_rest" && this.registered === null;
		return this.#logged.map((event) =>
			withholds && isReading(event, round) ? describeWithheld(event) : describeEvent(event, currency),
		);
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
			return await this.#handleAnswer(await this.subscription.ask(request), request);
		} catch (error) {
			this.refused =
				error instanceof ConnectionLost
					? { refusal: "lost", sentence: W.answerLost, detail: "", clause: "" }
					: errorMessage(error);
			return null;
		}
	}

	async #handleAnswer(answer: ServerAnswer, request: ClientRequest): Promise<readonly TableEvent[] | null> {
		if (answer.ok) return "events" in answer ? (answer.events ?? []) : [];
		if ("proposal" in answer && answer.proposal) {
			await this.approvals.track(answer.proposal);
			return null;
		}
		const message = refusalMessage(answer);
		if (request.do === "ball_at_rest" && message.refusal === "no_reason_given") {
			this.unreported = request;
			return null;
		}
		this.refused = message;
		if (message.refusal === "console_is_locked" || message.refusal === "not_logged_in") await this.session.refresh();
		return null;
	}

	/** Pauses all actions briefly if the phase has changed. Returns a function that ends the pause. */
	pauseAfter(phase: Phase | undefined): () => void {
		if (phase === undefined || phase === this.#phase) return () => {};
		const first = this.#phase === null;
		this.#phase = phase;
		this.refused = null;
		this.unreported = null;
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
		if (notice.to !== "staff") return;
		this.approvals.handle(notice.event);
		if (notice.event.event === "cashed_out.v2") void this.#showApprovedTicket(notice.event.seat);
		if (notice.event.event === "matter_referred.v1") this.#referred = notice.event;
		if (describeEvent(notice.event, this.table?.facts.currency ?? ""))
			this.#logged = [notice.event, ...this.#logged].slice(0, MAX_LOG_ENTRIES);
	}

	/**
	 * Shows the ticket of a cash-out that this console asked for and a second person approved.
	 * Events do not contain the number of a ticket. Sending the request again returns its answer, which does.
	 */
	async #showApprovedTicket(seat: string): Promise<void> {
		const asked = this.approvals.proposal?.command;
		if (asked?.do !== "cash_out" || asked.seat !== seat) return;
		const answer = await this.subscription.ask({ do: "cash_out", seat }, asked.id);
		const events = answer.ok && "events" in answer ? (answer.events ?? []) : [];
		const issued = events.find((event) => event.event === "cashed_out.v1");
		if (issued === undefined) return;
		const amount = money(issued.cents, this.table?.facts.currency ?? "");
		// The terminal of the seat shows the number, if the seat has one.
		const atTerminal = issued.ticket.startsWith("…");
		this.ticket = filled(atTerminal ? W.ticketAtTerminal : W.ticketIs, { ticket: issued.ticket, amount });
	}
}
