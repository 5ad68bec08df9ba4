/** One short message to the Player at a time. It disappears after a few seconds. */

export type Tone = "bad" | "good" | "plain";

export interface Toast {
	readonly key: number;
	readonly tone: Tone;
	readonly text: string;
	readonly clause: string;
}

const LASTS_MILLIS = 5_000;

export class Toasts {
	current = $state.raw<Toast | null>(null);
	#count = 0;
	#timer: ReturnType<typeof setTimeout> | undefined;

	say(tone: Tone, text: string, clause = "", millis = LASTS_MILLIS): void {
		clearTimeout(this.#timer);
		this.#count += 1;
		this.current = { key: this.#count, tone, text, clause };
		this.#timer = setTimeout(() => this.dismiss(), millis);
	}

	dismiss(): void {
		clearTimeout(this.#timer);
		this.current = null;
	}
}
