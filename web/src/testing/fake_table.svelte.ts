/** A table subscription for tests. It records requests; the test answers them. */

import type { ClientRequest, ConnectionStatus, ServerAnswer } from "../lib/connection.ts";
import type { CommandName } from "../lib/permissions.ts";
import type { TableSubscription } from "../lib/subscription.svelte.ts";
import { TableStore } from "../lib/table_store.svelte.ts";
import type { NumberedAnswer, Phase, PublicTable, TableEvent } from "../wire.ts";

interface OpenRequest {
	readonly id: string;
	readonly request: ClientRequest;
	readonly since: number;
	readonly resolve: (answer: ServerAnswer) => void;
	readonly reject: (error: Error) => void;
}

export class FakeTable {
	readonly store = new TableStore();
	status = $state<ConnectionStatus>("live");
	waiting = $state.raw<readonly OpenRequest[]>([]);
	requests: { id: string; request: ClientRequest }[] = [];
	time = 1_000_000;
	#count = 0;

	/** `commands` are the commands that the server allows this terminal. */
	constructor(
		bets: Record<string, number> = {},
		commands: readonly CommandName[] = ["place_bets", "cash_out"],
		phase: Phase = "bets_open",
	) {
		const facts = { name: "", currency: "XXX", chips: [100], seats: ["1"], betting_seconds: 20 };
		const table = { id: "t", round: 7, phase, facts, last_results: [] } as unknown as PublicTable;
		const staked = Object.values(bets).reduce((sum, cents) => sum + cents, 0);
		const own = { seat: "1", terminal: "k", credits: 100_000, bets, staked, repeatable: {}, undoable: false };
		const allowed = { commands: [...commands] };
		this.store.applySnapshot({ snapshot: { table, own }, epoch: "e", public: 0, own: 0, allowed });
	}

	get subscription(): TableSubscription {
		return this as unknown as TableSubscription;
	}

	now = () => this.time;

	newId(): string {
		this.#count += 1;
		return `id-${this.#count}`;
	}

	ask(request: ClientRequest, id = this.newId()): Promise<ServerAnswer> {
		this.requests.push({ id, request });
		return new Promise((resolve, reject) => {
			this.waiting = [...this.waiting, { id, request, since: this.time, resolve, reject }];
		});
	}

	/** Answers the oldest pending request. */
	async answers(answer: Partial<NumberedAnswer> & { ok: boolean }): Promise<void> {
		const [first, ...rest] = this.waiting;
		this.waiting = rest;
		first?.resolve({ version: 1, ...answer, id: first.id } as ServerAnswer);
		await settled();
	}

	/** Rejects all pending requests. */
	async loses(error: Error): Promise<void> {
		const all = this.waiting;
		this.waiting = [];
		for (const one of all) one.reject(error);
		await settled();
	}

	/** Applies an event of the seat. `bets` are the seat's bets after it. */
	happens(event: TableEvent, bets: Record<string, number> = {}): void {
		this.store.change({ own: { n: this.store.ownNumber + 1, events: [event], credits: 100_000, bets } });
	}
}

/** Waits until all resolved promises have run their callbacks. */
export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
