/** Subscriptions to one table, or to all tables for the pit. They detect gaps in the changes and request the missing ones. */
import {
	type AlertRow,
	LIFETIMES,
	type ProposalRow,
	type StopNotice,
	type StoppingMessage,
	type ToClient,
} from "../wire.ts";
import {
	type ClientRequest,
	Connection,
	ConnectionLost,
	type ConnectionStatus,
	type PendingRequest,
	type ServerAnswer,
} from "./connection.ts";
import type { CommandName } from "./permissions.ts";
import { TableStore } from "./table_store.svelte.ts";

abstract class Subscription {
	status = $state<ConnectionStatus>("connecting");
	/** The server's reason for closing the connection. */
	why = $state("");
	/** The requests without an answer yet. Bets in them are not registered. */
	waiting = $state.raw<readonly PendingRequest[]>([]);
	/** The planned stop of the house that is under way. */
	stopping = $state.raw<StopNotice | null>(null);
	protected readonly connection: Connection;
	readonly #resuming = new Set<TableStore>();

	constructor(path: string, anonymous: boolean) {
		this.connection = new Connection(
			path,
			{
				message: (message) => {
					if ("stopping" in message) this.stopping = message.stopping;
					else this.receive(message);
				},
				status: (status, why) => {
					this.status = status;
					this.why = why;
					// A server that is still stopping says so again after the next snapshot.
					if (status !== "live") this.stopping = null;
				},
				waiting: (requests) => {
					this.waiting = requests;
				},
			},
			anonymous,
		);
	}

	now(): number {
		return this.connection.now();
	}

	end(): void {
		this.connection.end();
	}

	/** Applies a message of the server about tables, alerts and proposals, or an answer. */
	protected abstract receive(message: Exclude<ToClient, StoppingMessage>): void;

	protected askAbout(request: ClientRequest, store: TableStore | undefined, id?: string): Promise<ServerAnswer> {
		return this.connection.ask(request, stillValid(request, store), id);
	}

	/** Requests the changes that a store has missed, once at a time. */
	protected catchUp(store: TableStore, table?: string): void {
		if (this.#resuming.has(store)) return;
		this.#resuming.add(store);
		const { epoch, publicNumber, ownNumber } = store;
		const resume: ClientRequest = {
			do: "resume",
			epoch,
			public: publicNumber,
			own: ownNumber,
			...(table ? { table } : {}),
		};
		const done = () => {
			this.#resuming.delete(store);
		};
		this.connection.ask(resume, () => false).then(done, done);
	}
}

/** A subscription to one table, by a terminal, a console or an anonymous client. */
export class TableSubscription extends Subscription {
	readonly store = new TableStore();

	constructor(table: string, anonymous = false) {
		super(`/api/tables/${encodeURIComponent(table)}/socket`, anonymous);
	}

	/** Sends a request to the table. Rejects with `ConnectionLost` if the answer was lost and the request is not resent. */
	ask(request: ClientRequest, id?: string): Promise<ServerAnswer> {
		return this.askAbout(request, this.store, id);
	}

	newId(): string {
		return this.connection.newId();
	}

	protected receive(message: Exclude<ToClient, StoppingMessage>): void {
		if ("snapshot" in message) {
			this.store.applySnapshot(message);
			this.connection.snapshotReceived();
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

	ask(request: ClientRequest & { table: string }): Promise<ServerAnswer> {
		return this.askAbout(request, this.tables.get(request.table));
	}

	/** Sends a request that names no table: approve or reject. It is never resent. */
	sendToHouse(request: ClientRequest): Promise<ServerAnswer> {
		return this.connection.ask(request, () => false);
	}

	protected receive(message: Exclude<ToClient, StoppingMessage>): void {
		if ("house" in message) {
			this.alerts = message.house.alerts;
			this.proposals = message.house.proposals;
			if (this.status !== "live") this.connection.snapshotReceived();
		} else if ("snapshot" in message) {
			const id = message.snapshot.table.id;
			const known = this.tables.get(id) ?? new TableStore();
			known.applySnapshot(message);
			if (!this.tables.has(id)) this.tables = new Map([...this.tables, [id, known]]);
		} else if (!("ok" in message) && message.table !== undefined) {
			const store = this.tables.get(message.table);
			if (store && !store.change(message)) this.catchUp(store, message.table);
		}
	}
}

/** Returns a function that checks after a reconnect whether a request may be resent, by the lifetime that the server declares. */
function stillValid(request: ClientRequest, store: TableStore | undefined): () => boolean {
	const lifetime = request.do in LIFETIMES ? LIFETIMES[request.do as CommandName] : "phase";
	if (lifetime === "always") return () => true;
	const [round, phase] = [store?.table?.round, store?.table?.phase];
	if (lifetime === "round") return () => store?.table?.round === round;
	return () => store?.table?.round === round && store?.table?.phase === phase;
}

export { ConnectionLost };
