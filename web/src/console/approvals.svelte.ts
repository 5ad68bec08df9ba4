/** Tracks a request that waits for a second person's approval, and shows what became of it. The approval itself is given at the pit desk. */
import type { Api } from "../lib/api.ts";
import type { ProposalRow, Proposals, TableEvent } from "../wire.ts";
import { W } from "./words.ts";

const LOOK_MILLIS = 2_000;
/** Events that change a settled round and therefore need a second person's approval. */
const TAKES_TWO = new Set<TableEvent["event"]>(["round_corrected.v1", "round_reversed.v1", "decision_made.v1"]);

export type Fate = "waits" | "done" | "gone" | "expired";

export class Approvals {
	proposal = $state.raw<ProposalRow | null>(null);
	fate = $state<Fate>("waits");
	#timer: ReturnType<typeof setInterval> | undefined;
	#happened = false;

	constructor(readonly api: Api) {}

	async wait(id: string): Promise<void> {
		this.end();
		this.#happened = false;
		this.fate = "waits";
		this.proposal = (await this.#all()).find((one) => one.proposal === id) ?? null;
		if (this.proposal) this.#timer = setInterval(() => void this.#look(id), LOOK_MILLIS);
	}

	/** Withdraws the request. Only the person who asked may do so. */
	async takeBack(): Promise<void> {
		const id = this.proposal?.proposal;
		if (id === undefined) return;
		await this.api.post(`/api/proposals/${encodeURIComponent(id)}/reject`, { reason: W.takenBack });
		this.dismiss();
	}

	hear(event: TableEvent): void {
		if (this.proposal && this.fate === "waits" && TAKES_TWO.has(event.event)) this.#happened = true;
	}

	dismiss(): void {
		this.end();
		this.proposal = null;
	}

	end(): void {
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	async #look(id: string): Promise<void> {
		let waits: boolean;
		try {
			waits = (await this.#all()).some((one) => one.proposal === id);
		} catch {
			return;
		}
		if (waits || this.proposal?.proposal !== id) return;
		this.end();
		this.fate = this.#happened ? "done" : Date.now() >= this.proposal.expires ? "expired" : "gone";
	}

	async #all(): Promise<ProposalRow[]> {
		return (await this.api.get<Proposals>("/api/proposals")).proposals;
	}
}
