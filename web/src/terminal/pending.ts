/** Calculates the chips of requests that are not yet answered, so that a tap is visible at once.
 *
 * They are drawn as pending, not as registered. The registered bets replace them when the server answers.
 */
import type { ClientRequest } from "../lib/connection.ts";
import type { PackageInfo, TableEvent } from "../wire.ts";

export type Bets = Record<string, number>;

/** One action that Undo reverts: the cents added to each position, negative if they were taken off. */
export type Step = Bets;

/** The registered state of the seat, to which pending requests are applied. */
export interface Known {
	readonly bets: Bets;
	readonly repeatable: Bets;
	readonly steps: readonly Step[];
	readonly packages: ReadonlyMap<string, PackageInfo>;
}

/** The change of each position in cents, if all requests are accepted in order. */
export function pendingOf(requests: readonly ClientRequest[], known: Known): Bets {
	const steps = [...known.steps];
	const after = new Map(Object.entries(known.bets));
	for (const request of requests) {
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

/** The chips that a request would add to `bets`, or null if it moves no chips. */
export function stepOf(request: ClientRequest, bets: Bets, known: Pick<Known, "repeatable" | "packages">): Step | null {
	switch (request.do) {
		case "place_bets":
			return summed(request.bets);
		case "withdraw_bets":
			return negated(summed(request.bets));
		case "place_package":
			return piecesOf(known.packages.get(request.package), request.unit_cents);
		case "clear":
			return negated(bets);
		case "repeat":
			return { ...known.repeatable };
		case "double":
			return { ...bets };
		default:
			return null;
	}
}

/** The chips of a package, with `unit` cents for each piece. */
export function piecesOf(one: PackageInfo | undefined, unit: number): Bets {
	return summed((one?.pieces ?? []).map(({ position, pieces }) => ({ position, cents: pieces * unit })));
}

/** The steps that can be undone after an event of this seat. */
export function stepsAfter(steps: readonly Step[], event: TableEvent): readonly Step[] {
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
