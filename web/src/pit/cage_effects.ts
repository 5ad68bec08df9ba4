/** Describes commands to the cage that need approval, and their effects. */
import { sentence } from "../lib/format.ts";
import { filled } from "../lib/i18n.svelte.ts";
import { amount } from "../lib/money.ts";
import type { CageCommand, CageEvent } from "../wire.ts";
import { W } from "./words.ts";

const COMMANDS: Record<CageCommand["do"], true> = {
	open_drawer: true,
	fill_drawer: true,
	drop_drawer: true,
	count_drawer: true,
	close_drawer: true,
	sell_credits: true,
	pay_ticket: true,
	look_up_ticket: true,
	void_ticket: true,
	bar_person: true,
	unbar_person: true,
	check_person: true,
};

/** Whether a command is for the cage. */
export function isCageCommand(command: { readonly do: string }): command is CageCommand {
	return command.do in COMMANDS;
}

/** Describes a command to the cage in one sentence. */
export function describeCageCommand(command: CageCommand): string {
	const texts = W.cage.commands;
	switch (command.do) {
		case "open_drawer":
			return filled(texts.open, { drawer: command.drawer, amount: amount(command.cents) });
		case "fill_drawer":
			return filled(texts.fill, { drawer: command.drawer, amount: amount(command.cents) });
		case "drop_drawer":
			return filled(texts.drop, { drawer: command.drawer, amount: amount(command.cents) });
		case "close_drawer":
			return filled(texts.close, { drawer: command.drawer, amount: amount(command.cents) });
		case "sell_credits":
			return filled(texts.sell, { amount: amount(command.cents) });
		case "pay_ticket":
			return filled(texts.pay, { last: command.ticket.slice(-4) });
		case "void_ticket":
			return filled(texts.void, { last: command.ticket.slice(-4), reason: command.reason });
		case "bar_person":
			return filled(texts.bar, { initials: command.person.initials || "–", reason: command.reason });
		case "unbar_person":
			return filled(texts.unbar, { barred: command.barred, reason: command.reason });
		default:
			return sentence(command.do);
	}
}

/** Describes an event of the cage, or returns null for an event of a table. */
export function describeCageEvent(event: CageEvent | { readonly event: string }): string | null {
	const one = event as CageEvent;
	const texts = W.cage.effects;
	switch (one.event) {
		case "ticket_paid.v1":
			return filled(texts.paid, { amount: amount(one.cents), last: one.ticket.slice(-4), drawer: one.drawer });
		case "ticket_voided.v1":
			return filled(texts.voided, { amount: amount(one.cents), last: one.ticket.slice(-4), was: one.was });
		case "credits_sold.v1":
			return filled(texts.sold, { amount: amount(one.cents), drawer: one.drawer });
		case "drawer_opened.v1":
		case "drawer_filled.v1":
			return filled(texts.in, { amount: amount(one.cents), drawer: one.drawer });
		case "drawer_dropped.v1":
			return filled(texts.out, { amount: amount(one.cents), drawer: one.drawer });
		case "drawer_counted.v1":
			return filled(texts.counted, {
				amount: amount(one.cents),
				expected: amount(one.expected),
				variance: amount(one.variance),
				drawer: one.drawer,
			});
		case "drawer_closed.v1":
			return filled(texts.closed, { amount: amount(one.cents), drawer: one.drawer });
		case "cash_reported.v1":
			return filled(texts.reported, { amount: amount(one.total) });
		case "person_barred.v1":
			return filled(texts.barred, { initials: one.initials || "–" });
		case "person_unbarred.v1":
			return filled(texts.unbarred, { barred: one.barred });
		default:
			return null;
	}
}
