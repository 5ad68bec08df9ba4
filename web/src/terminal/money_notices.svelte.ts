/** Notices of payments by staff at this seat. A notice of credits that were taken stays until the Player dismisses it. */
import type { TableSubscription } from "../lib/subscription.svelte.ts";
import { type CashedOut, PLAYER, type StaffPosition, type TableEvent } from "../wire.ts";

export type MoneyAct = "sold" | "reversed" | "cashedOut" | "redeemed";

export interface MoneyNotice {
	readonly key: number;
	readonly act: MoneyAct;
	readonly by: StaffPosition;
	readonly cents: number;
}

const ACTS: Partial<Record<TableEvent["event"], MoneyAct>> = {
	"credits_bought.v1": "sold",
	"purchase_reversed.v1": "reversed",
	"cashed_out.v2": "cashedOut",
	"ticket_redeemed.v2": "redeemed",
};

export class MoneyNotices {
	all = $state.raw<readonly MoneyNotice[]>([]);
	/** The amount for which the Player has declined a cash-out that staff asked for. */
	declined = $state<number | null>(null);
	#count = 0;

	/** Calls `onticket` with a ticket that staff issued to this seat, and `onadded` when staff added credits. */
	constructor(
		subscription: TableSubscription,
		onticket: (ticket: CashedOut) => void,
		readonly onadded: (notice: MoneyNotice) => void,
	) {
		subscription.store.onNotice(({ to, event }) => {
			if (to === "seat") this.#handle(event);
		});
		subscription.store.onTicket = ({ number, cents, expires }) =>
			onticket({ event: "cashed_out.v1", seat: "", cents, ticket: number, expires });
	}

	dismiss(notice: MoneyNotice): void {
		this.all = this.all.filter((one) => one !== notice);
	}

	#handle(event: TableEvent): void {
		if (event.event === "cash_out_requested.v1") this.declined = null;
		const act = ACTS[event.event];
		if (act === undefined || !("source" in event) || !event.source || !("cents" in event)) return;
		const { by } = event.source;
		if (by === PLAYER) return;
		this.#count += 1;
		const notice = { key: this.#count, act, by, cents: event.cents };
		if (act === "sold" || act === "redeemed") this.onadded(notice);
		else this.all = [...this.all, notice];
	}
}
