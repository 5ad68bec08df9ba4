/** The Player's bets: sends one request for each touch of the layout, in the order of the touches.
 *
 * A bet is shown as registered only after the server has registered it.
 */

import type { ClientRequest } from "../lib/connection.ts";
import type { TerminalData } from "../lib/game_data.ts";
import { speech } from "../lib/i18n.svelte.ts";
import { amount } from "../lib/money.ts";
import { boundsOf } from "../lib/permissions.ts";
import { readStored, writeStored } from "../lib/storage.ts";
import { ConnectionLost, type TableSubscription } from "../lib/subscription.svelte.ts";
import type { ColourChips, PackageInfo } from "../wire.ts";
import { type Bets, pendingOf, piecesOf, type Step, stepsAfter, totalOf } from "./pending.ts";
import type { Toasts } from "./toasts.svelte.ts";
import { refusalText, t, text } from "./words.ts";

export class Betting {
	chip = $state(0);
	/** Whether the chosen chip is a colour chip of this seat. */
	ownColour = $state(false);
	/** Whether a touch takes chips off instead of placing them. */
	taking = $state(false);
	/** The steps that can be undone. Steps of an earlier round are ignored, even if this page missed the end of that round. */
	#roundSteps = $state.raw<{ readonly round: number; readonly steps: readonly Step[] }>({ round: 0, steps: [] });
	/** The number of requests whose answer was lost, until the message about them is shown. */
	#lost = 0;
	/** The bets that the Player had asked for when answers were lost, and their round. */
	#wanted = $state.raw<{ readonly round: number; readonly bets: Bets }>({ round: 0, bets: {} });

	/** The chips that were requested and are not yet registered. */
	readonly pending: Bets = $derived.by(() => {
		return this.#changeBy(this.subscription.waiting.map((one) => one.request));
	});

	constructor(
		readonly subscription: TableSubscription,
		readonly data: () => TerminalData | null,
		readonly toasts: Toasts,
		readonly onChips: (what: "placed" | "taken") => void,
	) {
		subscription.store.onNotice(({ to, event }) => {
			if (to === "seat") this.#roundSteps = { round: this.#round, steps: stepsAfter(this.#steps, event) };
		});
	}

	get bets(): Bets {
		return this.subscription.store.own?.bets ?? {};
	}

	/** Whether the server accepts bets from this terminal now. */
	get open(): boolean {
		return this.subscription.store.permissions.may("place_bets");
	}

	/** Whether a bet can be requested now. The server may still refuse it. */
	get enabled(): boolean {
		return this.open && this.subscription.status === "live" && this.subscription.store.own !== null;
	}

	get undoable(): boolean {
		return (
			this.subscription.store.own?.undoable === true || this.#steps.length > 0 || this.subscription.waiting.length > 0
		);
	}

	/** The sum of all bets, including those not yet registered. */
	get total(): number {
		return totalOf(this.bets) + totalOf(this.pending);
	}

	/** The colour chips of this seat, or null. */
	get colour(): ColourChips | null {
		const { own, table } = this.subscription.store;
		return (own && table?.colours?.[own.seat]) ?? null;
	}

	/** The values of the chips to bet with: the cash chips of the table, or the house's values in a game without chips. */
	get chips(): number[] {
		const table = this.subscription.store.table;
		return table?.cash_chips?.length ? table.cash_chips : (table?.facts.chips ?? []);
	}

	/** Keeps the chosen chip among the chips of the table and the seat, which may change when a table opens. */
	checkChip(): void {
		if (this.ownColour && this.colour?.value_cents === this.chip) return;
		this.ownColour = false;
		if (!this.chips.includes(this.chip)) this.chooseFrom(this.chips);
	}

	/** Chooses the chip that was used last, or else one from the lower third of the tray. */
	chooseFrom(chips: readonly number[]): void {
		const last = readStored("chip", 0);
		this.chip = chips.find((cents) => cents === last) ?? chips[Math.floor(chips.length / 3)] ?? 0;
	}

	choose(chip: number, ownColour = false): void {
		this.chip = chip;
		this.ownColour = ownColour;
		this.taking = false;
		writeStored("chip", chip);
	}

	touch(position: string): void {
		if (this.taking) this.take(position);
		else this.#ask({ do: "place_bets", bets: [{ position, cents: this.chip }] });
	}

	/** Takes off all chips on the position, registered or not. */
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

	/** The chips that a package would place, for a preview. */
	previewOf(id: string): Bets {
		return piecesOf(this.#packages.get(id), this.chip);
	}

	/** The bets of a round that were requested, got no answer and are not registered: position and cents. */
	lostIn(round: number): [string, number][] {
		const registered = this.subscription.store.own?.interrupted?.bets ?? this.bets;
		if (this.#wanted.round !== round) return [];
		return Object.entries(this.#wanted.bets)
			.map(([position, cents]): [string, number] => [position, cents - (registered[position] ?? 0)])
			.filter(([, cents]) => cents > 0);
	}

	#ask(request: ClientRequest): void {
		if (this.subscription.status !== "live") return;
		if (!this.open) {
			this.#showNotOpen();
			return;
		}
		const increase = this.#increaseBy(request);
		this.onChips(increase >= 0 ? "placed" : "taken");
		const wanted = { round: this.#round, bets: this.#betsAfter(request) };
		this.subscription.ask(request).then(
			(answer) => {
				if (answer.ok || !("refusal" in answer)) return;
				const clause = "clause" in answer ? (answer.clause ?? "") : "";
				const reason = refusalText(answer.refusal ?? "", answer.reason ?? "");
				const limits = this.#limitsText(request, answer.refusal ?? "") || this.#leftText(answer.refusal ?? "");
				this.toasts.show("bad", limits === "" ? reason : `${reason.replace(/[.。]$/, "")}: ${limits}`, clause);
			},
			(error: unknown) => {
				if (!(error instanceof ConnectionLost)) throw error;
				this.#wanted = wanted;
				this.#countLost();
			},
		);
	}

	get #packages(): ReadonlyMap<string, PackageInfo> {
		return this.data()?.packages ?? new Map();
	}

	/** The limits of the position, as text, if the refusal is about them. */
	#limitsText(request: ClientRequest, refusal: string): string {
		if (refusal !== "above_maximum" && refusal !== "below_minimum") return "";
		const [bet, ...more] = request.do === "place_bets" ? request.bets : [];
		const position = bet === undefined || more.length > 0 ? undefined : this.data()?.positions.get(bet.position);
		const bounds = position === undefined ? null : boundsOf(this.subscription.store.bounds, position);
		if (bounds === null) return "";
		const { min, max } = bounds;
		const [lower, upper] = [amount(min, speech.locale), max === null ? "" : amount(max, speech.locale)];
		return upper === "" ? text("from", { min: lower }) : text("minMax", { min: lower, max: upper });
	}

	/** The amount that the Player's own limit leaves, as text, if the refusal is about it. */
	#leftText(refusal: string): string {
		const { loss_left_cents, stake_left_cents } = this.subscription.store.own?.session ?? {};
		const left = refusal === "loss_limit" ? loss_left_cents : refusal === "stake_limit" ? stake_left_cents : null;
		return left == null ? "" : text("limitLeft", { cents: amount(left, speech.locale) });
	}

	#showNotOpen(): void {
		const betting = this.data()?.game.betting;
		const isBefore = this.subscription.store.table?.phase === "idle";
		if (isBefore) this.toasts.show("bad", refusalText("bets_are_not_open"), betting?.opens.clause);
		else this.toasts.show("bad", refusalText("bets_are_closed"), betting?.late_bet.clause);
	}

	get #round(): number {
		return this.subscription.store.table?.round ?? 0;
	}

	get #steps(): readonly Step[] {
		return this.#roundSteps.round === this.#round ? this.#roundSteps.steps : [];
	}

	/** The amount that a request would add to the total bet. Undo can add chips that were taken off. */
	#increaseBy(request: ClientRequest): number {
		const waiting = this.subscription.waiting.map((one) => one.request);
		return totalOf(this.#changeBy([...waiting, request])) - totalOf(this.pending);
	}

	/** All bets of the seat if the pending requests and this one are accepted. */
	#betsAfter(request: ClientRequest): Bets {
		const after = new Map(Object.entries(this.bets));
		const waiting = this.subscription.waiting.map((one) => one.request);
		for (const [position, cents] of Object.entries(this.#changeBy([...waiting, request])))
			after.set(position, (after.get(position) ?? 0) + cents);
		return Object.fromEntries(after);
	}

	#changeBy(requests: readonly ClientRequest[]): Bets {
		const own = this.subscription.store.own;
		return own === null ? {} : pendingOf(requests, { ...own, steps: this.#steps, packages: this.#packages });
	}

	/** Shows one message for all requests whose answers were lost. The server may have registered them. */
	#countLost(): void {
		this.#lost += 1;
		if (this.#lost > 1) return;
		queueMicrotask(() => {
			const message = text(this.#lost === 1 ? "unansweredOne" : "unanswered", { n: this.#lost, where: t.history });
			this.#lost = 0;
			this.toasts.show("bad", message, "", 15_000);
		});
	}
}
