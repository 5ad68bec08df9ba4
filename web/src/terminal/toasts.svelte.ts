/** Shows one short message to the Player at a time and removes it after a few seconds. */

export type Tone = "bad" | "good" | "plain";

export interface Toast {
	readonly key: number;
	readonly tone: Tone;
	readonly text: string;
	readonly clause: string;
}

const DURATION_MILLIS = 5_000;

export class Toasts {
	current = $state.raw<Toast | null>(null);
	#count = 0;
	#timer: ReturnType<typeof setTimeout> | undefined;

	show(tone: Tone, text: string, clause = "", millis = DURATION_MILLIS): void {
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
