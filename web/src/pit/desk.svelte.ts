/** What every page of the pit desk stands on: the live tables, who is here, what the rulebooks say. It decides nothing. */

import type { Answered, Asked } from "../lib/connection.ts";
import { GameData, type Returns, returnsOfGame } from "../lib/game_data.ts";
import { Lost, PitSubscription } from "../lib/subscription.svelte.ts";
import { exposure, type OutcomeLine, totalStaked, worstOf } from "../staff/exposure.ts";
import { type Saying, sayingOf, sayingOfError } from "../staff/refusals.ts";
import type { StaffSession } from "../staff/session.svelte.ts";
import type { GameSheet, TableEvent } from "../wire.ts";
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

/** It happened; or a second person has to approve it; or it was refused, in words. */
export type Outcome =
	| { readonly did: "done"; readonly events: readonly TableEvent[] }
	| { readonly did: "proposed"; readonly proposal: string; readonly position: string }
	| { readonly did: "refused"; readonly saying: Saying };

export class PitDesk {
	readonly pit = new PitSubscription();
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
		const store = this.pit.tables.get(id);
		const rules = store?.table ? this.rules.get(store.table.rulebook) : undefined;
		if (!store?.pit || !rules) return null;
		const staked = totalStaked(store.pit.seats);
		const lines = exposure(rules.game, rules.returns, store.pit.seats);
		return { staked, lines, worst: worstOf(lines, staked) };
	}

	async ask(request: Asked & { table: string }): Promise<Outcome> {
		return outcomeOf(() => this.pit.ask(request));
	}

	/** To the house and not to a table: approve, reject. */
	async say(request: Asked): Promise<Outcome> {
		return outcomeOf(() => this.pit.say(request));
	}

	/** What was refused is seen by the alert that stays. */
	async acknowledge(alert: string): Promise<Saying | null> {
		try {
			await this.api.post(`/api/alerts/${encodeURIComponent(alert)}/acknowledge`);
			return null;
		} catch (error) {
			return sayingOfError(error);
		}
	}

	end(): void {
		this.pit.end();
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

async function outcomeOf(asks: () => Promise<Answered>): Promise<Outcome> {
	try {
		const answer = await asks();
		if ("proposal" in answer && answer.proposal) {
			return { did: "proposed", proposal: answer.proposal, position: answer.position ?? "" };
		}
		if (answer.ok) return { did: "done", events: "events" in answer ? (answer.events ?? []) : [] };
		return { did: "refused", saying: sayingOf(answer) };
	} catch (error) {
		const saying =
			error instanceof Lost ? { refusal: "lost", sentence: W.lost, detail: "", clause: "" } : sayingOfError(error);
		return { did: "refused", saying };
	}
}
