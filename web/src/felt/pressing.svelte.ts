/**
 * A finger or a mouse on the felt: press to aim, slide to aim better, release to place, slide off to cancel, hold on a stake to take it back.
 * Decides which gesture it was; what a gesture does, and whether it may, is for others.
 */
import type { PositionSheet } from "../wire.ts";

export const LOUPE_AFTER = 140;
export const TAKE_AFTER = 650;
/** A resting finger trembles this far, in pixels. */
const TREMBLE = 12;

export interface Felt {
	/** What lies at a point of the window. */
	at(x: number, y: number): PositionSheet | null;
	/** Whether there is something of one's own to take back. */
	staked(position: string): boolean;
	enabled(): boolean;
	place(position: string): void;
	take(position: string): void;
}

export interface Press {
	pointer: number;
	touch: boolean;
	position: PositionSheet | null;
	x: number;
	y: number;
	/** Pressed long enough, or slid: now the finger hides what it aims at, and a loupe helps. */
	loupe: boolean;
	/** Held on a stake that will be taken back if it is held on. */
	taking: boolean;
}

type At = Pick<PointerEvent, "pointerId" | "pointerType" | "clientX" | "clientY">;

export class Pressing {
	hovered = $state.raw<PositionSheet | null>(null);
	/** The newest press that has not ended. */
	press = $state.raw<Press | null>(null);
	#presses = new Map<number, Press>();
	#starts = new Map<number, { x: number; y: number }>();
	#timers = new Map<number, ReturnType<typeof setTimeout>[]>();
	#felt: Felt;

	constructor(felt: Felt) {
		this.#felt = felt;
	}

	down(event: At): void {
		const { pointerId: pointer, clientX: x, clientY: y } = event;
		const position = this.#felt.at(x, y);
		if (position === null || !this.#felt.enabled()) return;
		const taking = this.#felt.staked(position.id);
		const touch = event.pointerType !== "mouse";
		this.#starts.set(pointer, { x, y });
		this.#keep({ pointer, touch, position, x, y, loupe: false, taking });
		const timers = touch ? [setTimeout(() => this.#change(pointer, { loupe: true }), LOUPE_AFTER)] : [];
		if (taking) timers.push(setTimeout(() => this.#taken(pointer), TAKE_AFTER));
		this.#timers.set(pointer, timers);
	}

	moved(event: At): void {
		const { pointerId: pointer, clientX: x, clientY: y } = event;
		const press = this.#presses.get(pointer);
		if (press === undefined) {
			if (event.pointerType === "mouse") this.hovered = this.#felt.at(x, y);
			return;
		}
		const start = this.#starts.get(pointer) ?? { x, y };
		const still = Math.hypot(x - start.x, y - start.y) <= TREMBLE;
		// A trembling finger keeps what it pressed; sliding aims anew.
		const position = still && !press.loupe ? press.position : this.#felt.at(x, y);
		const slid = position?.id !== press.position?.id;
		this.#keep({
			...press,
			x,
			y,
			position,
			loupe: press.loupe || (slid && press.touch),
			taking: press.taking && still && !slid,
		});
	}

	/** Whether the release placed something. */
	up(event: At): boolean {
		const press = this.#presses.get(event.pointerId);
		if (press === undefined) return false;
		this.#end(event.pointerId);
		if (press.position === null || !this.#felt.enabled()) return false;
		this.#felt.place(press.position.id);
		return true;
	}

	cancelled(event: Pick<PointerEvent, "pointerId">): void {
		this.#end(event.pointerId);
	}

	left(): void {
		this.hovered = null;
	}

	end(): void {
		for (const pointer of [...this.#presses.keys()]) this.#end(pointer);
		this.hovered = null;
	}

	#taken(pointer: number): void {
		const press = this.#presses.get(pointer);
		if (!press?.taking || press.position === null) return;
		this.#end(pointer);
		if (this.#felt.enabled()) this.#felt.take(press.position.id);
	}

	#change(pointer: number, part: Partial<Press>): void {
		const press = this.#presses.get(pointer);
		if (press !== undefined) this.#keep({ ...press, ...part });
	}

	#keep(press: Press): void {
		this.#presses.delete(press.pointer);
		this.#presses.set(press.pointer, press);
		this.press = press;
	}

	#end(pointer: number): void {
		for (const timer of this.#timers.get(pointer) ?? []) clearTimeout(timer);
		this.#timers.delete(pointer);
		this.#starts.delete(pointer);
		this.#presses.delete(pointer);
		this.press = [...this.#presses.values()].at(-1) ?? null;
	}
}
