/** The reactive state of one table: applies snapshots and numbered changes, and reports gaps. It sends no requests. */
import type {
	ChangeMessage,
	IssuedTicket,
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
	/** A sentence for staff that says why the automatic dealer waits. Empty if it does not wait. */
	awaiting = $state("");
	/** The table's current alert, for staff. Empty if there is none. */
	alert = $state("");
	/** The commands that the server currently allows this client. */
	permissions = $state.raw<TablePermissions>(NO_PERMISSIONS);
	/** For a terminal: the limits on its layout. */
	bounds = $state.raw<ResolvedLimits | null>(null);
	/** Identifies the run of the server. Numbers of changes are comparable only within one epoch. */
	epoch = "";
	/** The number of the last applied public change. */
	publicNumber = 0;
	/** The number of the last applied change of this seat or, for staff, of the pit. */
	ownNumber = 0;
	/** Receives a ticket that staff issued to this seat. Only the seat's terminal gets its number. */
	onTicket: (ticket: IssuedTicket) => void = () => {};
	readonly #listeners = new Set<(notice: TableNotice) => void>();

	/** Calls `listener` for each further event, but not for a snapshot. Returns a function that unsubscribes. */
	onNotice(listener: (notice: TableNotice) => void): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	/** Replaces the state by a snapshot. */
	applySnapshot(message: SnapshotMessage): void {
		const { table, own, pit, awaiting, alert } = message.snapshot;
		this.#updatePermissions(message);
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
		const { public: publicChange, own, pit } = message;
		this.#updatePermissions(message);
		let complete = true;
		if (publicChange) {
			complete &&= publicChange.n <= this.publicNumber + 1;
			if (publicChange.n === this.publicNumber + 1 && this.table) {
				this.publicNumber = publicChange.n;
				this.table = applyPublicChange(this.table, publicChange);
				for (const event of publicChange.events) this.#notify({ to: "all", event });
			}
		}
		if (own) {
			complete &&= own.n <= this.ownNumber + 1;
			if (own.n === this.ownNumber + 1) {
				this.ownNumber = own.n;
				this.own = applySeatChange(this.own, own);
				for (const event of own.events) this.#notify({ to: "seat", event });
				if (own.ticket) this.onTicket(own.ticket);
			}
		}
		if (pit) {
			complete &&= pit.n <= this.ownNumber + 1;
			if (pit.n === this.ownNumber + 1) {
				this.ownNumber = pit.n;
				if (this.pit) this.pit = applyPitChange(this.pit, pit);
				this.awaiting = pit.awaiting ?? this.awaiting;
				this.alert = pit.alert ?? this.alert;
				for (const event of pit.events) this.#notify({ to: "staff", event });
			}
		}
		return complete;
	}

	/** Applies an answer, which may contain the seat's next change. Returns false if an earlier change is missing. */
	answer(message: NumberedAnswer): boolean {
		const { own: n, events, credits, bets, undoable, repeatable, paused, disputes, session, called_at } = message;
		if (n === undefined || credits === undefined || bets === undefined) return true;
		const own: OwnChange = { n, events: events ?? [], credits, bets };
		if (undoable !== undefined) own.undoable = undoable;
		if (paused !== undefined) own.paused = paused;
		if (disputes !== undefined) own.disputes = disputes;
		if (repeatable !== undefined) own.repeatable = repeatable;
		if (session !== undefined) own.session = session;
		if (called_at !== undefined) own.called_at = called_at;
		return this.change({ own });
	}

	/** Permissions are not numbered: a message contains the latest ones, or none if they have not changed. */
	#updatePermissions({ allowed, bounds }: SnapshotMessage | ChangeMessage): void {
		if (allowed) this.permissions = new TablePermissions(allowed);
		if (bounds) this.bounds = bounds;
	}

	#notify(notice: TableNotice): void {
		for (const listener of this.#listeners) listener(notice);
	}
}
