/** A table subscription for tests. It records requests and answers them when the test says so. */

import type { Answered, Asked, ConnectionStatus } from "../lib/connection.ts";
import type { CommandName } from "../lib/permissions.ts";
import type { TableSubscription } from "../lib/subscription.svelte.ts";
import { TableStore } from "../lib/table_store.svelte.ts";
import type { NumberedAnswer, Phase, PublicTable, TableEvent } from "../wire.ts";

interface Open {
	readonly id: string;
	readonly request: Asked;
	readonly since: number;
	readonly keep: (answer: Answered) => void;
	readonly lose: (error: Error) => void;
}

export class FakeTable {
	readonly store = new TableStore();
	status = $state<ConnectionStatus>("live");
	waiting = $state.raw<readonly Open[]>([]);
	asked: { id: string; request: Asked }[] = [];
	time = 1_000_000;
	#count = 0;

	/** `commands` are those that the server lets this terminal send. */
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
		this.store.show({ snapshot: { table, own }, epoch: "e", public: 0, own: 0, allowed });
	}

	get subscription(): TableSubscription {
		return this as unknown as TableSubscription;
	}

	now = () => this.time;

	newId(): string {
		this.#count += 1;
		return `id-${this.#count}`;
	}

	ask(request: Asked, id = this.newId()): Promise<Answered> {
		this.asked.push({ id, request });
		return new Promise((keep, lose) => {
			this.waiting = [...this.waiting, { id, request, since: this.time, keep, lose }];
		});
	}

	/** Answers the oldest pending request. */
	async answers(answer: Partial<NumberedAnswer> & { ok: boolean }): Promise<void> {
		const [first, ...rest] = this.waiting;
		this.waiting = rest;
		first?.keep({ version: 1, ...answer, id: first.id } as Answered);
		await settled();
	}

	async loses(error: Error): Promise<void> {
		const all = this.waiting;
		this.waiting = [];
		for (const one of all) one.lose(error);
		await settled();
	}

	/** Reports an event of the seat and its bets after it. */
	happens(event: TableEvent, bets: Record<string, number> = {}): void {
		this.store.change({ own: { n: this.store.ownNumber + 1, events: [event], credits: 100_000, bets } });
	}
}

export const settled = (): Promise<void> => new Promise((go) => setTimeout(go));
