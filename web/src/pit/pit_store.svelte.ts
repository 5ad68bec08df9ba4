/** What every page of the pit desk stands on: the live tables, who is here, what the rulebooks say. It decides nothing. */

import { errorMessage, type Reply } from "../lib/api.ts";
import type { Answered, Asked } from "../lib/connection.ts";
import { GameData, type Returns, returnsOfGame } from "../lib/game_data.ts";
import { type RefusalMessage, refusalMessage } from "../lib/refusals.ts";
import { Lost, PitSubscription } from "../lib/subscription.svelte.ts";
import { exposure, type OutcomeLine, totalStaked, worstOf } from "../staff/exposure.ts";
import type { StaffSession } from "../staff/session.svelte.ts";
import type { GameSheet } from "../wire.ts";
import { mayDo, type Positions, type Powers, powersOf } from "./powers.ts";
import { W } from "./words.ts";

export interface Rules {
	readonly game: GameSheet;
	readonly returns: Returns;
}

/** What stands at a table, and what each outcome would make of it. */
export interface Exposure {
	readonly staked: number;
	/** In the wheel's order of pockets. */
	readonly lines: readonly OutcomeLine[];
	readonly worst: OutcomeLine | null;
}

export class PitStore {
	readonly subscription = new PitSubscription();
	readonly gameData: GameData;
	rules = $state.raw<ReadonlyMap<string, Rules>>(new Map());
	powers = $state.raw<Powers>(new Map());
	/** What was last approved or rejected here: it is gone from the desk, and its word stays. */
	settled = $state("");
	readonly #asked = new Set<string>();

	constructor(readonly session: StaffSession) {
		this.gameData = new GameData(session.api);
		session.api.get<Parameters<typeof powersOf>[0]>("/api/openapi.json").then(
			(document) => {
				this.powers = powersOf(document);
			},
			() => undefined,
		);
	}

	get api() {
		return this.session.api;
	}

	get positions(): Positions {
		return this.session.positions;
	}

	/** Whether the house would hear this person on it; for what is offered. */
	may(operation: string): boolean {
		return mayDo(this.powers, operation, this.positions);
	}

	/** The rules by which a table plays, once they are here. */
	rulesOf(rulebook: string): Rules | undefined {
		const known = this.rules.get(rulebook);
		if (!known && !this.#asked.has(rulebook)) void this.#learn(rulebook);
		return known;
	}

	exposureOf(id: string): Exposure | null {
		const tableStore = this.subscription.tables.get(id);
		const rules = tableStore?.table ? this.rules.get(tableStore.table.rulebook) : undefined;
		if (!tableStore?.pit || !rules) return null;
		const staked = totalStaked(tableStore.pit.seats);
		const lines = exposure(rules.game, rules.returns, tableStore.pit.seats);
		return { staked, lines, worst: worstOf(lines, staked) };
	}

	async ask(request: Asked & { table: string }): Promise<Reply> {
		return replyFrom(() => this.subscription.ask(request));
	}

	/** To the house and not to a table: approve, reject. */
	async say(request: Asked): Promise<Reply> {
		return replyFrom(() => this.subscription.say(request));
	}

	/** What was refused is seen by the alert that stays. */
	async acknowledge(alert: string): Promise<RefusalMessage | null> {
		try {
			await this.api.post(`/api/alerts/${encodeURIComponent(alert)}/acknowledge`);
			return null;
		} catch (error) {
			return errorMessage(error);
		}
	}

	end(): void {
		this.subscription.end();
	}

	async #learn(rulebook: string): Promise<void> {
		this.#asked.add(rulebook);
		try {
			const game = await this.gameData.game(rulebook);
			const returns = await returnsOfGame(this.gameData, game);
			this.rules = new Map([...this.rules, [rulebook, { game, returns }]]);
		} catch {
			// Asked again when somebody looks again, and not before.
			setTimeout(() => this.#asked.delete(rulebook), 5_000);
		}
	}
}

async function replyFrom(asks: () => Promise<Answered>): Promise<Reply> {
	try {
		const answer = await asks();
		if ("proposal" in answer && answer.proposal) {
			return { did: "proposed", proposal: answer.proposal, position: answer.position ?? "" };
		}
		if (answer.ok) return { did: "done", events: "events" in answer ? (answer.events ?? []) : [] };
		return { did: "refused", message: refusalMessage(answer) };
	} catch (error) {
		const message =
			error instanceof Lost ? { refusal: "lost", sentence: W.lost, detail: "", clause: "" } : errorMessage(error);
		return { did: "refused", message };
	}
}
