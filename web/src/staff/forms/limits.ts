/** Converts table limits to the texts of a form and back. Amounts are whole cents. */
import { inputText, parseCents } from "../../lib/money.ts";
import type { Bounds, Limits } from "../../wire.ts";

/** The texts of the form. */
export interface LimitsTyped {
	seatMin: string;
	seatMax: string;
	table: string;
	types: { type: string; min: string; max: string }[];
}

const textOf = (cents: number | undefined) => (cents === undefined ? "" : inputText(cents));

export function asTyped(limits: Limits): LimitsTyped {
	return {
		seatMin: textOf(limits.seat?.min),
		seatMax: textOf(limits.seat?.max),
		table: textOf(limits.table),
		types: Object.entries(limits.types ?? {}).map(([type, one]) => ({
			type,
			min: textOf(one.min),
			max: textOf(one.max),
		})),
	};
}

/**
 * Parses the form. Returns the limits, or the first text that is not an amount.
 * An empty field sets no limit. Limits of single positions are taken from `before`.
 */
export function asLimits(form: LimitsTyped, before: Limits): Limits | { readonly bad: string } {
	const bad: string[] = [];
	const read = (text: string): number | undefined => {
		if (text.trim() === "") return undefined;
		const cents = parseCents(text);
		if (cents === null) bad.push(text);
		return cents ?? undefined;
	};
	const bounds = (min: string, max: string): Bounds => {
		const [least, most] = [read(min), read(max)];
		return { ...(least === undefined ? {} : { min: least }), ...(most === undefined ? {} : { max: most }) };
	};
	const table = read(form.table);
	const limits: Limits = {
		types: Object.fromEntries(form.types.map((one) => [one.type, bounds(one.min, one.max)])),
		positions: before.positions ?? {},
		seat: bounds(form.seatMin, form.seatMax),
		...(table === undefined ? {} : { table }),
	};
	return bad[0] === undefined ? limits : { bad: bad[0] };
}
