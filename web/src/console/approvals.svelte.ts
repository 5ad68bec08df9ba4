/** Tracks a request that waits for a second person's approval. The approval itself is given at the pit desk. */
import type { Api } from "../lib/api.ts";
import type { ProposalRow, Proposals, TableEvent } from "../wire.ts";
import { W } from "./words.ts";

const POLL_MILLIS = 2_000;
/** "rejected" also stands for an approved request that could not be executed. */
export type ApprovalStatus = "pending" | "done" | "rejected" | "expired";

export class Approvals {
	proposal = $state.raw<ProposalRow | null>(null);
	status = $state<ApprovalStatus>("pending");
	#timer: ReturnType<typeof setInterval> | undefined;
	/** Whether an event has arrived that the approved request causes. */
	#executed = false;

	constructor(readonly api: Api) {}

	/** Starts to track a proposal by its id. */
	async track(id: string): Promise<void> {
		this.end();
		this.#executed = false;
		this.status = "pending";
		this.proposal = (await this.#proposals()).find((one) => one.proposal === id) ?? null;
		if (this.proposal) this.#timer = setInterval(() => void this.#poll(id), POLL_MILLIS);
	}

	/** Withdraws the request. Only the person who made it may do so. */
	async withdraw(): Promise<void> {
		const id = this.proposal?.proposal;
		if (id === undefined) return;
		await this.api.post(`/api/proposals/${encodeURIComponent(id)}/reject`, { reason: W.withdrawn });
		this.dismiss();
	}

	/** Handles an event of the table: it may be the effect of the approved request. */
	handle(event: TableEvent): void {
		if (this.status !== "pending") return;
		if (this.proposal?.effect.some((expected) => expected.event === event.event)) this.#executed = true;
	}

	dismiss(): void {
		this.end();
		this.proposal = null;
	}

	end(): void {
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	async #poll(id: string): Promise<void> {
		let isPending: boolean;
		try {
			isPending = (await this.#proposals()).some((one) => one.proposal === id);
		} catch {
			return;
		}
		if (isPending || this.proposal?.proposal !== id) return;
		this.end();
		this.status = this.#executed ? "done" : Date.now() >= this.proposal.expires ? "expired" : "rejected";
	}

	async #proposals(): Promise<ProposalRow[]> {
		return (await this.api.get<Proposals>("/api/proposals")).proposals;
	}
}
