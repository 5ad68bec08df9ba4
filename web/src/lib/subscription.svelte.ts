/** Subscribes to one table, or to all tables for the pit. Detects gaps in the numbered changes and requests the missing ones. */
import { type AlertRow, LIFETIMES, type ProposalRow, type ToClient } from "../wire.ts";
import { type Answered, type Asked, Connection, type ConnectionStatus, Lost, type Waiting } from "./connection.ts";
import type { CommandName } from "./permissions.ts";
import { TableStore } from "./table_store.svelte.ts";

abstract class Subscription {
	status = $state<ConnectionStatus>("connecting");
	/** Why the server has closed the connection for good. */
	why = $state("");
	/** The requests without an answer. Nothing in them counts as registered. */
	waiting = $state.raw<readonly Waiting[]>([]);
	protected readonly connection: Connection;
	readonly #resuming = new Set<TableStore>();

	constructor(path: string, watches: boolean) {
		this.connection = new Connection(
			path,
			{
				message: (message) => this.hear(message),
				status: (status, why) => {
					this.status = status;
					this.why = why;
				},
				waiting: (requests) => {
					this.waiting = requests;
				},
			},
			watches,
		);
	}

	now(): number {
		return this.connection.now();
	}

	end(): void {
		this.connection.end();
	}

	protected abstract hear(message: ToClient): void;

	protected askAbout(request: Asked, store: TableStore | undefined, id?: string): Promise<Answered> {
		return this.connection.ask(request, stillValid(request, store), id);
	}

	protected catchUp(store: TableStore, table?: string): void {
		if (this.#resuming.has(store)) return;
		this.#resuming.add(store);
		const { epoch, publicNumber, ownNumber } = store;
		const asked: Asked = { do: "resume", epoch, public: publicNumber, own: ownNumber, ...(table ? { table } : {}) };
		const done = () => {
			this.#resuming.delete(store);
		};
		this.connection.ask(asked, () => false).then(done, done);
	}
}

/** A subscription to one table, by a terminal, a console or an anonymous client. */
export class TableSubscription extends Subscription {
	readonly store = new TableStore();

	constructor(table: string, watches = false) {
		super(`/api/tables/${encodeURIComponent(table)}/socket`, watches);
	}

	/** Sends a request to the table. Rejects with `Lost` if the connection broke and the request is no longer valid. */
	ask(request: Asked, id?: string): Promise<Answered> {
		return this.askAbout(request, this.store, id);
	}

	newId(): string {
		return this.connection.newId();
	}

	protected hear(message: ToClient): void {
		if ("snapshot" in message) {
			this.store.show(message);
			this.connection.settled();
		} else if ("ok" in message) {
			if (!("now" in message) && !this.store.answer(message as Parameters<TableStore["answer"]>[0]))
				this.catchUp(this.store);
		} else if (!("house" in message) && !this.store.change(message)) this.catchUp(this.store);
	}
}

/** A subscription to all tables, the alerts and the proposals, for the pit. */
export class PitSubscription extends Subscription {
	tables = $state.raw<ReadonlyMap<string, TableStore>>(new Map());
	alerts = $state.raw<readonly AlertRow[]>([]);
	proposals = $state.raw<readonly ProposalRow[]>([]);

	constructor() {
		super("/api/pit/socket", false);
	}

	ask(request: Asked & { table: string }): Promise<Answered> {
		return this.askAbout(request, this.tables.get(request.table));
	}

	/** Sends a request that concerns no table: approve or reject. */
	say(request: Asked): Promise<Answered> {
		return this.connection.ask(request, () => false);
	}

	protected hear(message: ToClient): void {
		if ("house" in message) {
			this.alerts = message.house.alerts;
			this.proposals = message.house.proposals;
			if (this.status !== "live") this.connection.settled();
		} else if ("snapshot" in message) {
			const id = message.snapshot.table.id;
			const known = this.tables.get(id) ?? new TableStore();
			known.show(message);
			if (!this.tables.has(id)) this.tables = new Map([...this.tables, [id, known]]);
		} else if (!("ok" in message) && message.table !== undefined) {
			const store = this.tables.get(message.table);
			if (store && !store.change(message)) this.catchUp(store, message.table);
		}
	}
}

function stillValid(request: Asked, store: TableStore | undefined): () => boolean {
	const lifetime = request.do in LIFETIMES ? LIFETIMES[request.do as CommandName] : "phase";
	if (lifetime === "always") return () => true;
	const [round, phase] = [store?.table?.round, store?.table?.phase];
	if (lifetime === "round") return () => store?.table?.round === round;
	return () => store?.table?.round === round && store?.table?.phase === phase;
}

export { Lost };
