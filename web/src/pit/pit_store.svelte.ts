/** The reactive state of the pit desk: the live tables, the person's positions, and the rules of each game. */

import { errorMessage, type Reply } from "../lib/api.ts";
import type { ClientRequest, ServerAnswer } from "../lib/connection.ts";
import { GameData, type Returns, returnsOfGame } from "../lib/game_data.ts";
import { NO_PERMISSIONS, type TablePermissions } from "../lib/permissions.ts";
import { type RefusalMessage, refusalMessage } from "../lib/refusals.ts";
import { ConnectionLost, PitSubscription } from "../lib/subscription.svelte.ts";
import { exposure, type OutcomeRow, totalStaked, worstOf } from "../staff/exposure.ts";
import type { StaffSession } from "../staff/session.svelte.ts";
import type { DisputeRecord, GameInfo, Role, StaffPosition } from "../wire.ts";
import { W } from "./words.ts";

/** The rulebook of a table and the returns of its bets. */
export interface Rules {
	readonly game: GameInfo;
	readonly returns: Returns;
}

/** The stakes at a table, and the house's win or loss for each outcome. */
export interface Exposure {
	readonly staked: number;
	/** In the wheel's order of pockets. */
	readonly outcomes: readonly OutcomeRow[];
	readonly worst: OutcomeRow | null;
}

export class PitStore {
	readonly subscription = new PitSubscription();
	readonly gameData: GameData;
	rules = $state.raw<ReadonlyMap<string, Rules>>(new Map());
	/** The message about the last proposal that was approved or rejected here. */
	proposalMessage = $state("");
	readonly #requested = new Set<string>();

	constructor(readonly session: StaffSession) {
		this.gameData = new GameData(session.api);
	}

	get api() {
		return this.session.api;
	}

	get positions(): readonly (Role | StaffPosition)[] {
		return this.session.positions;
	}

	/** Whether the server lets this person call the operation. It only decides which buttons are shown. */
	may(operation: string): boolean {
		return this.session.me?.operations.includes(operation) ?? false;
	}

	/** The open disputes of all tables, the oldest first. */
	get disputes(): { table: string; dispute: DisputeRecord }[] {
		const all = [...this.subscription.tables].flatMap(([table, { pit }]) =>
			(pit?.disputes ?? []).map((dispute) => ({ table, dispute })),
		);
		return all.toSorted((a, b) => a.dispute.at - b.dispute.at);
	}

	/** The commands that this person may send to a table now. */
	permissionsAt(table: string): TablePermissions {
		return this.subscription.tables.get(table)?.permissions ?? NO_PERMISSIONS;
	}

	/** The rules of a rulebook, or undefined until they are loaded. The first call starts loading them. */
	rulesOf(rulebook: string): Rules | undefined {
		const known = this.rules.get(rulebook);
		if (!known && !this.#requested.has(rulebook)) void this.#loadRules(rulebook);
		return known;
	}

	exposureOf(id: string): Exposure | null {
		const tableStore = this.subscription.tables.get(id);
		const rules = tableStore?.table ? this.rules.get(tableStore.table.rulebook) : undefined;
		if (!tableStore?.pit || !rules) return null;
		const staked = totalStaked(tableStore.pit.seats);
		const outcomes = exposure(rules.game, rules.returns, tableStore.pit.seats);
		return { staked, outcomes, worst: worstOf(outcomes, staked) };
	}

	async ask(request: ClientRequest & { table: string }): Promise<Reply> {
		return replyFrom(() => this.subscription.ask(request));
	}

	/** Sends a request that concerns no table: approve or reject. */
	async askHouse(request: ClientRequest): Promise<Reply> {
		return replyFrom(() => this.subscription.sendToHouse(request));
	}

	/** Returns the refusal, or null if the alert was acknowledged. */
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

	async #loadRules(rulebook: string): Promise<void> {
		this.#requested.add(rulebook);
		try {
			const game = await this.gameData.game(rulebook);
			const returns = await returnsOfGame(this.gameData, game);
			this.rules = new Map([...this.rules, [rulebook, { game, returns }]]);
		} catch {
			// Allow another attempt after a pause.
			setTimeout(() => this.#requested.delete(rulebook), 5_000);
		}
	}
}

async function replyFrom(send: () => Promise<ServerAnswer>): Promise<Reply> {
	try {
		const answer = await send();
		if ("proposal" in answer && answer.proposal) {
			return { did: "proposed", proposal: answer.proposal, position: answer.position ?? "" };
		}
		if (answer.ok) return { did: "done", events: "events" in answer ? (answer.events ?? []) : [] };
		return { did: "refused", message: refusalMessage(answer) };
	} catch (error) {
		const message =
			error instanceof ConnectionLost
				? { refusal: "lost", sentence: W.answerLost, detail: "", clause: "" }
				: errorMessage(error);
		return { did: "refused", message };
	}
}
