/** The results of rounds for this seat: settled, void or corrected, with their clauses. */

import type { Api } from "../lib/api.ts";
import type { TerminalData } from "../lib/game_data.ts";
import type { TableSubscription } from "../lib/subscription.svelte.ts";
import type { TableNotice } from "../lib/table_store.svelte.ts";
import type { History, PastRound, Restated, RoundStory, SeatRound, StaffPosition, Verdict } from "../wire.ts";
import { type BetResult, resultsOf } from "./payouts.ts";
import type { Bets } from "./pending.ts";

export type RoundResult =
	| {
			readonly how: "settled";
			readonly round: number;
			readonly outcome: string;
			readonly staked: number;
			readonly returned: number;
			/** Null if the sum of the bets differs from the server's total. */
			readonly results: readonly BetResult[] | null;
			/** The bets of this seat in the round. */
			readonly bets: Bets;
	  }
	| {
			readonly how: "void";
			readonly round: number;
			readonly clauses: readonly string[];
			/** The clause by which stakes are returned, or empty. */
			readonly returns: string;
			readonly givenBack: number;
	  };

/** A notice about an earlier round. It stays until the Player dismisses it. */
export type RoundNotice =
	| { readonly what: "corrected"; round: number; was: string; outcome: string; clause: string; change: Restated | null }
	| { readonly what: "reversed"; round: number; was: string; clauses: readonly string[]; change: Restated | null }
	| { readonly what: "reinstated"; round: number; outcome: string; clause: string; change: Restated | null }
	| { readonly what: "seat_decided"; round: number; clause: string; change: Restated | null }
	| { readonly what: "stake_returned"; round: number; cents: number; clause: string }
	/** `mine`: the matter concerns only this seat. */
	| { readonly what: "referred"; round: number; decides: StaffPosition; clause: string; mine: boolean }
	| { readonly what: "decided"; round: number; clause: string };

export class RoundResults {
	last = $state.raw<RoundResult | null>(null);
	notices = $state.raw<readonly RoundNotice[]>([]);
	/** The number of rounds in which this seat has won. */
	wins = $state(0);

	constructor(
		readonly subscription: TableSubscription,
		readonly data: () => TerminalData | null,
	) {
		subscription.store.onNotice((notice) => this.#handle(notice));
	}

	/** Requests the last round if it ended before this page was loaded and the seat had bets in it. */
	async recall(api: Api, seat: string): Promise<void> {
		const { id, last_results } = this.subscription.store.table ?? {};
		const round = last_results?.[0]?.round;
		if (id === undefined || round === undefined || this.last?.round === round) return;
		const base = `/api/tables/${encodeURIComponent(id)}/rounds`;
		try {
			const past = (await api.get<History>(`${base}?count=1`)).rounds[0];
			const own = past?.seats[seat];
			if (past === undefined || own === undefined) return;
			const verdict = (await api.get<RoundStory>(`${base}/${past.round}`)).verdicts.at(-1);
			if (verdict !== undefined && (this.last?.round ?? 0) < past.round) this.last = resultFrom(past, own, verdict);
		} catch {
			// The Player can look the round up in the history.
		}
	}

	dismiss(notice: RoundNotice): void {
		this.notices = this.notices.filter((one) => one !== notice);
	}

	/** Handles an event. The public event arrives first. The seat's own event follows and has more detail. */
	#handle({ to, event }: TableNotice): void {
		switch (event.event) {
			case "round_settled.v1": {
				const isOwn = to === "seat" && "staked" in event;
				if (!isOwn && this.last?.round === event.round) break;
				this.last = this.#settled(event.round, event.outcome, isOwn ? event : { staked: 0, returned: 0 }, isOwn);
				if (isOwn && event.returned > event.staked) this.wins += 1;
				break;
			}
			case "round_voided.v1": {
				const isOwn = to === "seat" && "seats" in event;
				if (!isOwn && this.last?.round === event.round) break;
				const givenBack = isOwn ? Object.values(event.seats).reduce((sum, cents) => sum + cents, 0) : 0;
				const { round, clauses, returns } = event;
				this.last = { how: "void", round, clauses, returns, givenBack };
				break;
			}
			case "round_corrected.v1": {
				const { round, was, outcome, clause } = event;
				const change = changeIn(event);
				this.#add({ what: "corrected", round, was, outcome, clause, change });
				this.#applyCorrection(round, outcome, change);
				break;
			}
			case "round_reversed.v1": {
				const { round, was, clauses } = event;
				this.#add({ what: "reversed", round, was, clauses, change: changeIn(event) });
				if (this.last?.how === "settled" && this.last.round === round)
					this.last = { how: "void", round, clauses, returns: "", givenBack: this.last.staked };
				break;
			}
			case "round_reinstated.v1": {
				const { round, outcome, clause } = event;
				this.#add({ what: "reinstated", round, outcome, clause, change: changeIn(event) });
				break;
			}
			case "seat_decided.v1":
				this.#add({ what: "seat_decided", round: event.round, clause: event.clause, change: event.change });
				break;
			case "stake_returned.v1":
				this.#add({ what: "stake_returned", round: event.round, cents: event.cents, clause: event.clause });
				break;
			case "matter_referred.v1": {
				const { round, decides, clause } = event;
				// A question about the rules concerns no round.
				if (round > 0) this.#add({ what: "referred", round, decides, clause, mine: to === "seat" });
				break;
			}
			case "decision_made.v1":
				if (event.round === 0) break;
				this.notices = this.notices.filter((one) => one.what !== "referred" || one.round !== event.round);
				this.#add({ what: "decided", round: event.round, clause: event.clause });
				break;
			default:
				break;
		}
	}

	#settled(round: number, outcome: string, own: { staked: number; returned: number }, isOwn: boolean): RoundResult {
		const data = this.data();
		const bets = isOwn ? (this.subscription.store.own?.repeatable ?? {}) : {};
		const results = data === null ? null : this.#resultsBy(data, bets, outcome, own.returned);
		return { how: "settled", round, outcome, staked: own.staked, returned: own.returned, results, bets };
	}

	/** Updates the last round after a correction. */
	#applyCorrection(round: number, outcome: string, change: Restated | null): void {
		const { last } = this;
		if (last?.how !== "settled" || last.round !== round) return;
		const data = this.data();
		const returned = change?.now ?? last.returned;
		const results = data === null ? null : this.#resultsBy(data, last.bets, outcome, returned);
		this.last = { ...last, outcome, returned, results };
	}

	#resultsBy(
		{ game, odds, positions }: TerminalData,
		bets: Bets,
		outcome: string,
		returned: number,
	): BetResult[] | null {
		const { loses, loses_to } = game.settlement;
		return resultsOf(bets, outcome, returned, odds, positions, (pocket) => loses_to[pocket] ?? loses);
	}

	/** Adds a notice. The seat's own notice replaces the public one about the same round. */
	#add(notice: RoundNotice): void {
		const others = this.notices.filter((one) => one.what !== notice.what || one.round !== notice.round);
		const known = this.notices.find((one) => one.what === notice.what && one.round === notice.round);
		if (known && "change" in known && known.change && "change" in notice && !notice.change) return;
		this.notices = [...others, notice];
	}
}

function changeIn(event: object): Restated | null {
	return "seats" in event && Array.isArray(event.seats) ? ((event.seats[0] as Restated | undefined) ?? null) : null;
}

function resultFrom(
	{ round, outcome }: PastRound,
	{ staked, returned }: SeatRound,
	{ bets: explained, clauses }: Verdict,
): RoundResult {
	const bets = Object.fromEntries(explained.map((bet) => [bet.position, bet.staked]));
	if (outcome === null) return { how: "void", round, clauses, returns: "", givenBack: returned };
	const results = explained.map((bet) => ({ ...bet, clause: bet.clauses.join(", ") }));
	return { how: "settled", round, outcome, staked, returned, results, bets };
}
