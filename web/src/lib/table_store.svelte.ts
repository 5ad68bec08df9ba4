/** The reactive state of one table: applies snapshots and numbered changes, and reports gaps. It sends no requests. */
import type {
	ChangeMessage,
	NumberedAnswer,
	OwnChange,
	OwnSeat,
	PublicEvent,
	PublicTable,
	ResolvedLimits,
	SnapshotMessage,
	TableEvent,
	TableView,
} from "../wire.ts";
import { NO_PERMISSIONS, TablePermissions } from "./permissions.ts";
import { applyPitChange, applyPublicChange, applySeatChange } from "./reducer.ts";

/** An event that has just happened: a public one, one of this seat, or (for staff) one of any seat. */
export type TableNotice =
	| { readonly to: "all"; readonly event: PublicEvent }
	| { readonly to: "seat"; readonly event: TableEvent }
	| { readonly to: "staff"; readonly event: TableEvent };

export class TableStore {
	table = $state.raw<PublicTable | null>(null);
	own = $state.raw<OwnSeat | null>(null);
	pit = $state.raw<TableView | null>(null);
	/** The reason why the automatic dealer waits, as a sentence for staff. */
	awaiting = $state("");
	alert = $state("");
	/** What this client may ask of the table now. */
	permissions = $state.raw<TablePermissions>(NO_PERMISSIONS);
	/** For a terminal: the limits of its layout. */
	bounds = $state.raw<ResolvedLimits | null>(null);
	epoch = "";
	publicNumber = 0;
	ownNumber = 0;
	readonly #listeners = new Set<(notice: TableNotice) => void>();

	/** Calls back for each event from now on. A snapshot causes no call. Returns a function that unsubscribes. */
	onNotice(listener: (notice: TableNotice) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	show(message: SnapshotMessage): void {
		const { table, own, pit, awaiting, alert } = message.snapshot;
		this.#allow(message);
		this.epoch = message.epoch;
		this.publicNumber = message.public;
		this.ownNumber = message.own ?? 0;
		this.table = table;
		this.own = own ?? null;
		this.pit = pit ?? null;
		this.awaiting = awaiting ?? "";
		this.alert = alert ?? "";
	}

	/** Applies a change. Returns false if an earlier change is missing and must be requested. */
	change(message: ChangeMessage): boolean {
		const { public: shown, own, pit } = message;
		this.#allow(message);
		let whole = true;
		if (shown) {
			whole &&= shown.n <= this.publicNumber + 1;
			if (shown.n === this.publicNumber + 1 && this.table) {
				this.publicNumber = shown.n;
				this.table = applyPublicChange(this.table, shown);
				for (const event of shown.events) this.#tell({ to: "all", event });
			}
		}
		if (own) {
			whole &&= own.n <= this.ownNumber + 1;
			if (own.n === this.ownNumber + 1) {
				this.ownNumber = own.n;
				this.own = applySeatChange(this.own, own);
				for (const event of own.events) this.#tell({ to: "seat", event });
			}
		}
		if (pit) {
			whole &&= pit.n <= this.ownNumber + 1;
			if (pit.n === this.ownNumber + 1) {
				this.ownNumber = pit.n;
				if (this.pit) this.pit = applyPitChange(this.pit, pit);
				this.awaiting = pit.awaiting ?? this.awaiting;
				this.alert = pit.alert ?? this.alert;
				for (const event of pit.events) this.#tell({ to: "staff", event });
			}
		}
		return whole;
	}

	/** Applies an answer, which may carry the seat's next change. Returns false like `change`. */
	answer(message: NumberedAnswer): boolean {
		const { own: n, events, credits, bets, undoable, repeatable } = message;
		if (n === undefined || credits === undefined || bets === undefined) return true;
		const own: OwnChange = { n, events: events ?? [], credits, bets };
		if (undoable !== undefined) own.undoable = undoable;
		if (repeatable !== undefined) own.repeatable = repeatable;
		return this.change({ own });
	}

	/** They have no number of their own: each message has the latest, or none if nothing has changed. */
	#allow({ allowed, bounds }: SnapshotMessage | ChangeMessage): void {
		if (allowed) this.permissions = new TablePermissions(allowed);
		if (bounds) this.bounds = bounds;
	}

	#tell(notice: TableNotice): void {
		for (const listener of this.#listeners) listener(notice);
	}
}
