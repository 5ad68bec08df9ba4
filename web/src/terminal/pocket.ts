/** The tickets that a guest takes along. The browser keeps them until the next table has redeemed them.
 *
 * Anyone who knows the number of a ticket can redeem it, so only a guest's own browser keeps one.
 */
import { readStored, writeStored } from "../lib/storage.ts";

export interface KeptTicket {
	readonly ticket: string;
	readonly cents: number;
	readonly expires: number;
}

const KEY = "pocket";

export function keptTickets(): readonly KeptTicket[] {
	return readStored<readonly KeptTicket[]>(KEY, []);
}

export function keep({ ticket, cents, expires }: KeptTicket): void {
	writeStored(KEY, [...keptTickets().filter((one) => one.ticket !== ticket), { ticket, cents, expires }]);
}

export function drop(ticket: string): void {
	const left = keptTickets().filter((one) => one.ticket !== ticket);
	writeStored(KEY, left.length > 0 ? left : null);
}

/** Refusals after which a ticket is worth nothing any more. Any other refusal may pass, so the ticket stays. */
const SPENT = ["ticket_is_redeemed", "ticket_has_expired", "no_such_ticket"];

export const isSpent = (refusal: string) => SPENT.includes(refusal);
