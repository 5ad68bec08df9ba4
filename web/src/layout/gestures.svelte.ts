/**
 * Recognises pointer gestures on the layout and the racetrack.
 *
 * Press to aim, slide to aim at another target, release to place a chip, slide off the layout to cancel, hold on a stake
 * to take it back. The caller decides what a gesture does and whether it is allowed.
 */
/** A touch that is held this long shows the magnifier. */
export const MAGNIFY_AFTER_MILLIS = 140;
/** A press on a stake that is held this long takes the stake back. */
export const TAKE_AFTER_MILLIS = 650;
/** A finger that moves no farther than this counts as resting. */
const MAX_TREMBLE_PIXELS = 12;

/** A target of a press: a position, or a package of the racetrack. */
export interface Pressed {
	id: string;
}

/** The targets under the pointer, and the actions on them. */
export interface GestureTargets<Target extends Pressed> {
	/** The target at a point of the window. */
	at(x: number, y: number): Target | null;
	/** Whether the target has a stake to take back. */
	staked(target: string): boolean;
	enabled(): boolean;
	place(target: string): void;
	take(target: string): void;
}

export interface Press<Target extends Pressed> {
	/** The browser's id of the pointer. */
	pointer: number;
	/** Whether it is a finger or a pen, not a mouse. */
	touch: boolean;
	target: Target | null;
	x: number;
	y: number;
	/** Whether to show the magnifier: after a long press or a slide. */
	magnifier: boolean;
	/** Whether holding the press will take the stake back. */
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
	#targets: GestureTargets<Target>;

	constructor(targets: GestureTargets<Target>) {
		this.#targets = targets;
	}

	down(event: At): void {
		const { pointerId: pointer, clientX: x, clientY: y } = event;
		const target = this.#targets.at(x, y);
		if (target === null || !this.#targets.enabled()) return;
		const taking = this.#targets.staked(target.id);
		const touch = event.pointerType !== "mouse";
		this.#starts.set(pointer, { x, y });
		this.#set({ pointer, touch, target, x, y, magnifier: false, taking });
		const timers = touch ? [setTimeout(() => this.#change(pointer, { magnifier: true }), MAGNIFY_AFTER_MILLIS)] : [];
		if (taking) timers.push(setTimeout(() => this.#takeBack(pointer), TAKE_AFTER_MILLIS));
		this.#timers.set(pointer, timers);
	}

	move(event: At): void {
		const { pointerId: pointer, clientX: x, clientY: y } = event;
		const press = this.#presses.get(pointer);
		if (press === undefined) {
			if (event.pointerType === "mouse") this.hovered = this.#targets.at(x, y);
			return;
		}
		const start = this.#starts.get(pointer) ?? { x, y };
		const still = Math.hypot(x - start.x, y - start.y) <= MAX_TREMBLE_PIXELS;
		// Small movements keep the target; sliding changes it.
		const target = still && !press.magnifier ? press.target : this.#targets.at(x, y);
		const slid = target?.id !== press.target?.id;
		this.#set({
			...press,
			x,
			y,
			target,
			magnifier: press.magnifier || (slid && press.touch),
			taking: press.taking && still && !slid,
		});
	}

	/** Ends a press. Returns whether it has placed a chip. */
	up(event: At): boolean {
		const press = this.#presses.get(event.pointerId);
		if (press === undefined) return false;
		this.#end(event.pointerId);
		if (press.target === null || !this.#targets.enabled()) return false;
		this.#targets.place(press.target.id);
		return true;
	}

	cancel(event: Pick<PointerEvent, "pointerId">): void {
		this.#end(event.pointerId);
	}

	leave(): void {
		this.hovered = null;
	}

	/** Cancels all presses. */
	end(): void {
		for (const pointer of [...this.#presses.keys()]) this.#end(pointer);
		this.hovered = null;
	}

	#takeBack(pointer: number): void {
		const press = this.#presses.get(pointer);
		if (!press?.taking || press.target === null) return;
		this.#end(pointer);
		if (this.#targets.enabled()) this.#targets.take(press.target.id);
	}

	#change(pointer: number, part: Partial<Press<Target>>): void {
		const press = this.#presses.get(pointer);
		if (press !== undefined) this.#set({ ...press, ...part });
	}

	#set(press: Press<Target>): void {
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
