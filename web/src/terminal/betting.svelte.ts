/** The Player's bets: each touch of the layout becomes one request, in the order of the touches.
 *
 * Only the server decides what is shown as registered.
 */

import type { ClientRequest } from "../lib/connection.ts";
import type { TerminalData } from "../lib/game_data.ts";
import { speech } from "../lib/i18n.svelte.ts";
import { amount, money } from "../lib/money.ts";
import { boundsOf } from "../lib/permissions.ts";
import { readStored, writeStored } from "../lib/storage.ts";
import { ConnectionLost, type TableSubscription } from "../lib/subscription.svelte.ts";
import type { PackageInfo } from "../wire.ts";
import { type Bets, pendingOf, piecesOf, type Step, stepped, totalOf } from "./pending.ts";
import type { PlaySession } from "./play_session.svelte.ts";
import type { Toasts } from "./toasts.svelte.ts";
import { refusalWords, say, t } from "./words.ts";

export class Betting {
	chip = $state(0);
	/** A touch takes off instead of putting on. */
	taking = $state(false);
	/** Those of an earlier round mean nothing, even where its end was not heard here. */
	#stepped = $state.raw<{ readonly round: number; readonly steps: readonly Step[] }>({ round: 0, steps: [] });
	#lost = 0;

	readonly pending: Bets = $derived.by(() => {
		return this.#wouldMove(this.subscription.waiting.map((one) => one.request));
	});

	constructor(
		readonly subscription: TableSubscription,
		readonly sheets: () => TerminalData | null,
		readonly session: PlaySession,
		readonly toasts: Toasts,
		readonly heard: (what: "placed" | "taken") => void,
	) {
		subscription.store.onNotice(({ to, event }) => {
			if (to === "seat") this.#stepped = { round: this.#round, steps: stepped(this.#steps, event) };
		});
	}

	get bets(): Bets {
		return this.subscription.store.own?.bets ?? {};
	}

	/** Whether the server takes bets from this terminal now. */
	get open(): boolean {
		return this.subscription.store.permissions.may("place_bets");
	}

	/** Can something be asked for now, as far as is known here? The house has the last word. */
	get enabled(): boolean {
		return this.open && this.subscription.status === "live" && this.subscription.store.own !== null;
	}

	get undoable(): boolean {
		return (
			this.subscription.store.own?.undoable === true || this.#steps.length > 0 || this.subscription.waiting.length > 0
		);
	}

	/** With those that are asked for and not yet registered. */
	get total(): number {
		return totalOf(this.bets) + totalOf(this.pending);
	}

	/** The chip of last time, else one from the lower third of the tray. */
	chooseFrom(chips: readonly number[]): void {
		const last = readStored("chip", 0);
		this.chip = chips.find((cents) => cents === last) ?? chips[Math.floor(chips.length / 3)] ?? 0;
	}

	choose(chip: number): void {
		this.chip = chip;
		this.taking = false;
		writeStored("chip", chip);
	}

	touch(position: string): void {
		if (this.taking) this.take(position);
		else this.#ask({ do: "place_bets", bets: [{ position, cents: this.chip }] });
	}

	/** All of what stands there, registered or asked for. */
	take(position: string): void {
		const cents = (this.bets[position] ?? 0) + (this.pending[position] ?? 0);
		if (cents > 0) this.#ask({ do: "withdraw_bets", bets: [{ position, cents }] });
	}

	placeAll(bets: Bets): void {
		const chips = Object.entries(bets).map(([position, cents]) => ({ position, cents }));
		if (chips.length > 0) this.#ask({ do: "place_bets", bets: chips });
	}

	placePackage(id: string): void {
		this.#ask({ do: "place_package", package: id, unit_cents: this.chip });
	}

	undo = () => this.#ask({ do: "undo" });
	clear = () => this.#ask({ do: "clear" });
	repeat = () => this.#ask({ do: "repeat" });
	double = () => this.#ask({ do: "double" });

	/** What a series would put where, for showing it before it is placed. */
	previewOf(id: string): Bets {
		return piecesOf(this.#packages.get(id), this.chip);
	}

	#ask(request: ClientRequest): void {
		if (this.subscription.status !== "live") return;
		if (!this.open) {
			this.#sayNotOpen();
			return;
		}
		const adds = this.#adds(request);
		const left = this.session.leftToLose(this.total);
		if (adds > 0 && left !== null && adds > left) {
			const { currency } = this.subscription.store.table?.facts ?? { currency: "" };
			const limit = money(this.session.limit.cents ?? 0, currency, speech.locale);
			this.toasts.say("bad", say("limitReached", { cents: limit }));
			return;
		}
		this.heard(adds >= 0 ? "placed" : "taken");
		this.subscription.ask(request).then(
			(answer) => {
				if (answer.ok || !("refusal" in answer)) return;
				const clause = "clause" in answer ? (answer.clause ?? "") : "";
				const words = refusalWords(answer.refusal ?? "", answer.reason ?? "");
				const bounds = this.#bounds(request, answer.refusal ?? "");
				this.toasts.say("bad", bounds === "" ? words : `${words.replace(/[.。]$/, "")}: ${bounds}`, clause);
			},
			(error: unknown) => {
				if (error instanceof ConnectionLost) this.#countLost();
				else throw error;
			},
		);
	}

	get #packages(): ReadonlyMap<string, PackageInfo> {
		return this.sheets()?.packages ?? new Map();
	}

	/** Between what and what one bet may be, for whoever has just been told that it may not. */
	#bounds(request: ClientRequest, refusal: string): string {
		if (refusal !== "above_maximum" && refusal !== "below_minimum") return "";
		const [bet, ...more] = request.do === "place_bets" ? request.bets : [];
		const position = bet === undefined || more.length > 0 ? undefined : this.sheets()?.positions.get(bet.position);
		const bounds = position === undefined ? null : boundsOf(this.subscription.store.bounds, position);
		if (bounds === null) return "";
		const { min, max } = bounds;
		const [least, most] = [amount(min, speech.locale), max === null ? "" : amount(max, speech.locale)];
		return most === "" ? say("from", { min: least }) : say("minMax", { min: least, max: most });
	}

	#sayNotOpen(): void {
		const betting = this.sheets()?.game.betting;
		const isBefore = this.subscription.store.table?.phase === "idle";
		if (isBefore) this.toasts.say("bad", refusalWords("bets_are_not_open"), betting?.opens.clause);
		else this.toasts.say("bad", refusalWords("bets_are_closed"), betting?.late_bet.clause);
	}

	get #round(): number {
		return this.subscription.store.table?.round ?? 0;
	}

	get #steps(): readonly Step[] {
		return this.#stepped.round === this.#round ? this.#stepped.steps : [];
	}

	/** What a request would add to all that stands or is asked for; what is undone may be put back on the layout. */
	#adds(request: ClientRequest): number {
		const asked = this.subscription.waiting.map((one) => one.request);
		return totalOf(this.#wouldMove([...asked, request])) - totalOf(this.pending);
	}

	#wouldMove(asked: readonly ClientRequest[]): Bets {
		const own = this.subscription.store.own;
		return own === null ? {} : pendingOf(asked, { ...own, steps: this.#steps, packages: this.#packages });
	}

	/** All that a lost line has swallowed is told in one sentence. It may have been registered: only the house knows. */
	#countLost(): void {
		this.#lost += 1;
		if (this.#lost > 1) return;
		queueMicrotask(() => {
			const words = say(this.#lost === 1 ? "unansweredOne" : "unanswered", { n: this.#lost, where: t.history });
			this.#lost = 0;
			this.toasts.say("bad", words, "", 15_000);
		});
	}
}
