/**
 * The chips of each position as separate reactive state, so that a new chip redraws only its position.
 * It is a copy of the properties of the board.
 */
import type { LayoutInfo, PositionInfo } from "../wire.ts";

export interface ShownChips {
	bets: Record<string, number>;
	pending: Record<string, number>;
	/** The bets of all seats: seat → position → cents. The Player's own seat is ignored. */
	others: Record<string, Record<string, number>>;
	own?: string | undefined;
	wins?: Record<string, number> | undefined;
}

/** The chips on one position, in cents. */
export class PositionChips {
	readonly position: PositionInfo;
	staked = $state(0);
	pending = $state(0);
	/** The amount returned: 0 for a lost stake, undefined before the settlement. */
	returned = $state<number | undefined>();
	/** The chips of other seats: pairs of seat and cents. */
	crowd = $state.raw<readonly [string, number][]>([]);
	/** Whether the tab key moves the focus to this position. */
	entered = $state(false);

	constructor(position: PositionInfo) {
		this.position = position;
	}

	/** The sum of the other seats' chips. */
	get others(): number {
		return this.crowd.reduce((sum, [, cents]) => sum + cents, 0);
	}
}

export class ChipsByPosition {
	readonly places: readonly PositionChips[];
	/** The positions with the Player's chips, registered or requested, or with a return. */
	occupied = $state.raw<readonly PositionChips[]>([]);
	/** The positions with chips of other seats. */
	crowded = $state.raw<readonly PositionChips[]>([]);
	#byId: Map<string, PositionChips>;
	#entry: PositionChips | undefined;

	constructor(layout: LayoutInfo) {
		this.places = layout.positions.map((position) => new PositionChips(position));
		this.#byId = new Map(this.places.map((place) => [place.position.id, place]));
		this.enter(layout.positions[0]?.id ?? "");
	}

	of(position: string): PositionChips | undefined {
		return this.#byId.get(position);
	}

	/** Makes this the position that the tab key reaches. */
	enter(position: string): void {
		const next = this.#byId.get(position);
		if (next === undefined || next === this.#entry) return;
		if (this.#entry !== undefined) this.#entry.entered = false;
		next.entered = true;
		this.#entry = next;
	}

	/** Sets the chips of all positions. Lists that stay equal are not replaced, so that they are not redrawn. */
	show({ bets, pending, others, own, wins }: ShownChips): void {
		const crowds = new Map<string, [string, number][]>();
		for (const [seat, theirs] of Object.entries(others)) {
			if (seat === own) continue;
			for (const [position, cents] of Object.entries(theirs)) {
				if (cents > 0) crowds.set(position, [...(crowds.get(position) ?? []), [seat, cents]]);
			}
		}
		const [occupied, crowded]: [PositionChips[], PositionChips[]] = [[], []];
		for (const place of this.places) {
			const id = place.position.id;
			const [staked, requested, returned] = [bets[id] ?? 0, pending[id] ?? 0, wins?.[id] ?? 0];
			const crowd = crowds.get(id) ?? [];
			place.staked = staked;
			place.pending = requested;
			place.returned = wins === undefined ? undefined : returned;
			if (!alike(place.crowd, crowd)) place.crowd = crowd;
			if (staked > 0 || requested > 0 || returned > 0) occupied.push(place);
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
