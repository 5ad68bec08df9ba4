/**
 * The chips of each position as separate reactive state, so that a new chip redraws one position only.
 * It mirrors what the board receives; it calculates nothing and stores nothing.
 */
import type { LayoutInfo, PositionInfo } from "../wire.ts";

export interface ShownChips {
	bets: Record<string, number>;
	pending: Record<string, number>;
	/** Seat → bets. The Player's own seat among them is ignored. */
	others: Record<string, Record<string, number>>;
	own?: string | undefined;
	wins?: Record<string, number> | undefined;
}

export class Place {
	readonly position: PositionInfo;
	staked = $state(0);
	pending = $state(0);
	/** The amount returned; 0 for a lost stake; undefined before the settlement. */
	returned = $state<number | undefined>();
	/** Other seats' chips. */
	crowd = $state.raw<readonly [string, number][]>([]);
	/** Whether the tab key enters the board here. */
	entered = $state(false);

	constructor(position: PositionInfo) {
		this.position = position;
	}

	get others(): number {
		return this.crowd.reduce((sum, [, cents]) => sum + cents, 0);
	}
}

export class ChipsByPosition {
	readonly places: readonly Place[];
	/** The positions with own chips, registered or requested, or with a return. */
	occupied = $state.raw<readonly Place[]>([]);
	crowded = $state.raw<readonly Place[]>([]);
	#byId: Map<string, Place>;
	#entry: Place | undefined;

	constructor(layout: LayoutInfo) {
		this.places = layout.positions.map((position) => new Place(position));
		this.#byId = new Map(this.places.map((place) => [place.position.id, place]));
		this.enter(layout.positions[0]?.id ?? "");
	}

	of(position: string): Place | undefined {
		return this.#byId.get(position);
	}

	enter(position: string): void {
		const next = this.#byId.get(position);
		if (next === undefined || next === this.#entry) return;
		if (this.#entry !== undefined) this.#entry.entered = false;
		next.entered = true;
		this.#entry = next;
	}

	show({ bets, pending, others, own, wins }: ShownChips): void {
		const crowds = new Map<string, [string, number][]>();
		for (const [seat, theirs] of Object.entries(others)) {
			if (seat === own) continue;
			for (const [position, cents] of Object.entries(theirs)) {
				if (cents > 0) crowds.set(position, [...(crowds.get(position) ?? []), [seat, cents]]);
			}
		}
		const [occupied, crowded]: [Place[], Place[]] = [[], []];
		for (const place of this.places) {
			const id = place.position.id;
			const [staked, asked, back] = [bets[id] ?? 0, pending[id] ?? 0, wins?.[id] ?? 0];
			const crowd = crowds.get(id) ?? [];
			place.staked = staked;
			place.pending = asked;
			place.returned = wins === undefined ? undefined : back;
			if (!alike(place.crowd, crowd)) place.crowd = crowd;
			if (staked > 0 || asked > 0 || back > 0) occupied.push(place);
			if (crowd.length > 0) crowded.push(place);
		}
		if (!same(this.occupied, occupied)) this.occupied = occupied;
		if (!same(this.crowded, crowded)) this.crowded = crowded;
	}
}

function same<One>(some: readonly One[], others: readonly One[]): boolean {
	return some.length === others.length && some.every((one, index) => one === others[index]);
}

function alike(some: readonly [string, number][], others: readonly [string, number][]): boolean {
	return (
		some.length === others.length &&
		some.every(([seat, cents], index) => seat === others[index]?.[0] && cents === others[index][1])
	);
}
