/** What was asked and is not yet registered, as chips: so that a tap is answered at once, and never passed off as a bet.
 *
 * It foretells nothing about what the house will say: whatever the answer, the registered bets replace it.
 */
import type { ClientRequest } from "../lib/connection.ts";
import type { PackageInfo, TableEvent } from "../wire.ts";

export type Bets = Record<string, number>;

/** One thing that a Player did with chips, which Undo takes back: what it added, or (less than nothing) took off. */
export type Step = Bets;

export interface Known {
	readonly bets: Bets;
	readonly repeatable: Bets;
	readonly steps: readonly Step[];
	readonly packages: ReadonlyMap<string, PackageInfo>;
}

/** The difference that the requests make, position by position, if all of them are accepted in their order. */
export function pendingOf(asked: readonly ClientRequest[], known: Known): Bets {
	const steps = [...known.steps];
	const after = new Map(Object.entries(known.bets));
	for (const request of asked) {
		if (request.do === "undo") {
			add(after, negated(steps.pop() ?? {}));
			continue;
		}
		const step = stepOf(request, Object.fromEntries(after), known);
		if (step === null) continue;
		add(after, step);
		steps.push(step);
	}
	const difference: Bets = {};
	for (const position of new Set([...after.keys(), ...Object.keys(known.bets)])) {
		const change = (after.get(position) ?? 0) - (known.bets[position] ?? 0);
		if (change !== 0) difference[position] = change;
	}
	return difference;
}

/** What a request would add to the layout; nothing where it does not move chips. */
export function stepOf(
	request: ClientRequest,
	standing: Bets,
	known: Pick<Known, "repeatable" | "packages">,
): Step | null {
	switch (request.do) {
		case "place_bets":
			return summed(request.bets);
		case "withdraw_bets":
			return negated(summed(request.bets));
		case "place_package":
			return piecesOf(known.packages.get(request.package), request.unit_cents);
		case "clear":
			return negated(standing);
		case "repeat":
			return { ...known.repeatable };
		case "double":
			return { ...standing };
		default:
			return null;
	}
}

export function piecesOf(one: PackageInfo | undefined, unit: number): Bets {
	return summed((one?.pieces ?? []).map(({ position, pieces }) => ({ position, cents: pieces * unit })));
}

/** The steps that can still be undone, after something has happened to the seat. */
export function stepped(steps: readonly Step[], event: TableEvent): readonly Step[] {
	switch (event.event) {
		case "bets_placed.v1":
			return event.how === "undone" ? steps.slice(0, -1) : [...steps, event.bets];
		case "bets_withdrawn.v1":
			return event.how === "undone" ? steps.slice(0, -1) : [...steps, negated(event.bets)];
		case "round_settled.v1":
		case "round_voided.v1":
			return [];
		default:
			return steps;
	}
}

export function totalOf(bets: Bets): number {
	return Object.values(bets).reduce((sum, cents) => sum + cents, 0);
}

function summed(bets: readonly { position: string; cents: number }[]): Bets {
	const sum: Bets = {};
	for (const { position, cents } of bets) sum[position] = (sum[position] ?? 0) + cents;
	return sum;
}

function negated(bets: Bets): Bets {
	return Object.fromEntries(Object.entries(bets).map(([position, cents]) => [position, -cents]));
}

function add(to: Map<string, number>, change: Bets): void {
	for (const [position, cents] of Object.entries(change)) to.set(position, (to.get(position) ?? 0) + cents);
}
