/**
 * Recognises pointer gestures on the layout: press to aim, slide to aim elsewhere, release to place, slide off to cancel, hold on a stake to take it back.
 * The caller decides what a gesture does and whether it is allowed.
 */
export const MAGNIFY_AFTER = 140;
export const TAKE_AFTER = 650;
/** A resting finger moves up to this far, in pixels. */
const TREMBLE = 12;

/** A target of a press: a position, or a package of the racetrack. */
export interface Pressed {
	id: string;
}

export interface Ground<Target extends Pressed> {
	/** The target at a point of the window. */
	at(x: number, y: number): Target | null;
	/** Whether the target has a stake to take back. */
	staked(target: string): boolean;
	enabled(): boolean;
	place(target: string): void;
	take(target: string): void;
}

export interface Press<Target extends Pressed> {
	pointer: number;
	touch: boolean;
	target: Target | null;
	x: number;
	y: number;
	/** Whether the press is long enough, or has slid, so that the magnifier is shown. */
	magnifier: boolean;
	/** Whether holding on will take the stake back. */
	taking: boolean;
}

type At = Pick<PointerEvent, "pointerId" | "pointerType" | "clientX" | "clientY">;

export class Gestures<Target extends Pressed> {
	hovered = $state.raw<Target | null>(null);
	/** The newest press that has not ended. */
	press = $state.raw<Press<Target> | null>(null);
	#presses = new Map<number, Press<Target>>();
	#starts = new Map<number, { x: number; y: number }>();
	#timers = new Map<number, ReturnType<typeof setTimeout>[]>();
	#ground: Ground<Target>;

	constructor(ground: Ground<Target>) {
		this.#ground = ground;
	}

	down(event: At): void {
		const { pointerId: pointer, clientX: x, clientY: y } = event;
		const target = this.#ground.at(x, y);
		if (target === null || !this.#ground.enabled()) return;
		const taking = this.#ground.staked(target.id);
		const touch = event.pointerType !== "mouse";
		this.#starts.set(pointer, { x, y });
		this.#keep({ pointer, touch, target, x, y, magnifier: false, taking });
		const timers = touch ? [setTimeout(() => this.#change(pointer, { magnifier: true }), MAGNIFY_AFTER)] : [];
		if (taking) timers.push(setTimeout(() => this.#taken(pointer), TAKE_AFTER));
		this.#timers.set(pointer, timers);
	}

	moved(event: At): void {
		const { pointerId: pointer, clientX: x, clientY: y } = event;
		const press = this.#presses.get(pointer);
		if (press === undefined) {
			if (event.pointerType === "mouse") this.hovered = this.#ground.at(x, y);
			return;
		}
		const start = this.#starts.get(pointer) ?? { x, y };
		const still = Math.hypot(x - start.x, y - start.y) <= TREMBLE;
		// A trembling finger keeps its target; sliding changes it.
		const target = still && !press.magnifier ? press.target : this.#ground.at(x, y);
		const slid = target?.id !== press.target?.id;
		this.#keep({
			...press,
			x,
			y,
			target,
			magnifier: press.magnifier || (slid && press.touch),
			taking: press.taking && still && !slid,
		});
	}

	/** Whether the release placed something. */
	up(event: At): boolean {
		const press = this.#presses.get(event.pointerId);
		if (press === undefined) return false;
		this.#end(event.pointerId);
		if (press.target === null || !this.#ground.enabled()) return false;
		this.#ground.place(press.target.id);
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
		if (!press?.taking || press.target === null) return;
		this.#end(pointer);
		if (this.#ground.enabled()) this.#ground.take(press.target.id);
	}

	#change(pointer: number, part: Partial<Press<Target>>): void {
		const press = this.#presses.get(pointer);
		if (press !== undefined) this.#keep({ ...press, ...part });
	}

	#keep(press: Press<Target>): void {
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
