/** One table as this screen knows it, and whether it knows all of it. Fed by a line; asks nothing itself. */
import type {
	ChangeMessage,
	NumberedAnswer,
	OwnSeat,
	PublicEvent,
	PublicTable,
	SnapshotMessage,
	TableEvent,
	TableView,
} from "../wire.ts";
import { moved, movedPit, movedSeat } from "./folding.ts";

/** What has just happened, in order: to everybody, to this seat, or (for staff) to anybody. */
export type News =
	| { readonly to: "all"; readonly event: PublicEvent }
	| { readonly to: "seat"; readonly event: TableEvent }
	| { readonly to: "staff"; readonly event: TableEvent };

export class Standing {
	table = $state.raw<PublicTable | null>(null);
	own = $state.raw<OwnSeat | null>(null);
	pit = $state.raw<TableView | null>(null);
	/** What the automatic dealer waits for, in words; for staff. */
	awaiting = $state("");
	alert = $state("");
	epoch = "";
	publicNumber = 0;
	ownNumber = 0;
	readonly #listeners = new Set<(news: News) => void>();

	/** Calls back for each thing that happens from now on. What a snapshot shows has happened before. */
	onNews(listener: (news: News) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	show(message: SnapshotMessage): void {
		const { table, own, pit, awaiting, alert } = message.snapshot;
		this.epoch = message.epoch;
		this.publicNumber = message.public;
		this.ownNumber = message.own ?? 0;
		this.table = table;
		this.own = own ?? null;
		this.pit = pit ?? null;
		this.awaiting = awaiting ?? "";
		this.alert = alert ?? "";
	}

	/** Applies what follows. False: something before it was missed, and must be asked for. */
	change(message: ChangeMessage): boolean {
		const { public: shown, own, pit } = message;
		let whole = true;
		if (shown) {
			whole &&= shown.n <= this.publicNumber + 1;
			if (shown.n === this.publicNumber + 1 && this.table) {
				this.publicNumber = shown.n;
				this.table = moved(this.table, shown);
				for (const event of shown.events) this.#tell({ to: "all", event });
			}
		}
		if (own) {
			whole &&= own.n <= this.ownNumber + 1;
			if (own.n === this.ownNumber + 1) {
				this.ownNumber = own.n;
				this.own = movedSeat(this.own, own);
				for (const event of own.events) this.#tell({ to: "seat", event });
			}
		}
		if (pit) {
			whole &&= pit.n <= this.ownNumber + 1;
			if (pit.n === this.ownNumber + 1) {
				this.ownNumber = pit.n;
				if (this.pit) this.pit = movedPit(this.pit, pit);
				this.awaiting = pit.awaiting ?? this.awaiting;
				this.alert = pit.alert ?? this.alert;
				for (const event of pit.events) this.#tell({ to: "staff", event });
			}
		}
		return whole;
	}

	/** An answer may itself be the seat's next change. */
	answer(message: NumberedAnswer): boolean {
		if (message.own === undefined || message.credits === undefined || message.bets === undefined) return true;
		const own = { n: message.own, events: message.events ?? [], credits: message.credits, bets: message.bets };
		return this.change({ own });
	}

	#tell(news: News): void {
		for (const listener of this.#listeners) listener(news);
	}
}
