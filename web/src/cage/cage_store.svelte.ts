/** The state of the cage's screen: polls the cage, sends requests, and follows those that wait for a second person. */
import { errorMessage, Refused } from "../lib/api.ts";
import type { RefusalMessage } from "../lib/refusals.ts";
import type { StaffSession } from "../staff/session.svelte.ts";
import type { AnyCageRequest, CageAnswer, CageView, DrawerRow } from "../wire.ts";
import type { DistributiveOmit } from "./requests.ts";

/** A request without its id, which the store gives. */
export type Request = DistributiveOmit<AnyCageRequest, "id">;

/** A request that waits for a second person. It is sent again when it is approved, to get its answer. */
interface Waiting {
	readonly request: AnyCageRequest;
	readonly proposal: string;
	readonly done: (answer: CageAnswer | null) => void;
}

/** The result of a request: done, sent to a second person, or refused. */
export type Result =
	| { readonly did: "done"; readonly answer: CageAnswer }
	| { readonly did: "waits" }
	| { readonly did: "refused"; readonly message: RefusalMessage };

const POLL_MILLIS = 2_000;
/** The sales that wait are kept for this tab, so that a reload of the page does not lose their tickets. */
const STORAGE_KEY = "roundhouse.cage.sales";

export class CageStore {
	view = $state.raw<CageView | null>(null);
	/** Whether the last poll failed. */
	lost = $state(false);
	busy = $state(false);
	/** The last news about a request that waited, for the whole screen. */
	news = $state("");
	/** The ticket of a sale that was approved after the page was loaded again. */
	recovered = $state.raw<CageAnswer | null>(null);
	#waiting: Waiting[] = [];

	constructor(readonly session: StaffSession) {
		for (const one of storedSales()) this.#waiting.push({ ...one, done: (answer) => this.#recover(answer) });
	}

	#recover(answer: CageAnswer | null): void {
		if (answer?.ticket) this.recovered = answer;
	}

	#store(): void {
		const sales = this.#waiting.filter((one) => one.request.do === "sell_credits");
		const kept = sales.map(({ request, proposal }) => ({ request, proposal }));
		sessionStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
	}

	/** Whether the person acts as a Cashier here. */
	get isCashier(): boolean {
		return this.session.positions.includes("cashier");
	}

	/** The person's open drawer. */
	get drawer(): DrawerRow | undefined {
		return this.view?.drawers.find((one) => one.cashier === this.session.me?.person);
	}

	get currency(): string {
		return this.view?.terms.currency || "XXX";
	}

	/** Polls the cage while the page is visible. Returns a function that stops it. */
	begin(): () => void {
		const poll = () => document.visibilityState === "visible" && this.session.state === "in" && void this.refresh();
		const timer = setInterval(poll, POLL_MILLIS);
		document.addEventListener("visibilitychange", poll);
		poll();
		return () => {
			clearInterval(timer);
			document.removeEventListener("visibilitychange", poll);
		};
	}

	async refresh(): Promise<void> {
		try {
			const view = await this.session.api.get<CageView>("/api/cage");
			this.view = view;
			this.lost = false;
			await this.#follow(view);
		} catch (error) {
			this.lost = !(error instanceof Refused && error.status !== 0);
			if (error instanceof Refused && (error.status === 401 || error.status === 403)) await this.session.refresh();
		}
	}

	/** Sends a request. `done` is called with the answer if it first has to wait, or with null if it is not approved. */
	async ask(request: Request, done: (answer: CageAnswer | null) => void = () => {}): Promise<Result> {
		const sent = { ...request, id: crypto.randomUUID() } as AnyCageRequest;
		this.busy = true;
		this.news = "";
		const result = await this.#send(sent, done);
		this.busy = false;
		await this.refresh();
		return result;
	}

	async #send(request: AnyCageRequest, done: (answer: CageAnswer | null) => void): Promise<Result> {
		try {
			return { did: "done", answer: await this.session.api.post<CageAnswer>("/api/cage/requests", request) };
		} catch (error) {
			const proposal = error instanceof Refused ? error.body.proposal : undefined;
			if (typeof proposal !== "string") return { did: "refused", message: errorMessage(error) };
			this.#waiting.push({ request, proposal, done });
			this.#store();
			return { did: "waits" };
		}
	}

	/** Ends the wait for requests that the second person approved or rejected. */
	async #follow(view: CageView): Promise<void> {
		const open = new Set(view.proposals.map((one) => one.proposal));
		const ended = this.#waiting.filter((one) => !open.has(one.proposal));
		this.#waiting = this.#waiting.filter((one) => open.has(one.proposal));
		if (ended.length > 0) this.#store();
		for (const one of ended) {
			// Only a request on record may be sent again: a rejected one would be proposed once more.
			const row = view.transactions.find((row) => row.id === one.request.id);
			if (!row) {
				one.done(null);
				continue;
			}
			const result = await this.#send(one.request, one.done);
			one.done(result.did === "done" ? result.answer : null);
		}
	}
}

/** The sales that waited when the page was left. */
function storedSales(): Pick<Waiting, "request" | "proposal">[] {
	try {
		return JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "[]") as Pick<Waiting, "request" | "proposal">[];
	} catch {
		return [];
	}
}
