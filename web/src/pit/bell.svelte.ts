/** A soft sound when something new waits. Off until somebody turns it on, and it never says what. */

const KEPT = "roundhouse.pit.sound";

export class Bell {
	on = $state(localStorage.getItem(KEPT) === "on");
	#audio: AudioContext | null = null;

	/** Call it while a component is set up; `waiting` counts what waits. */
	constructor(waiting: () => number) {
		let known: number | null = null;
		$effect(() => {
			const now = waiting();
			if (known !== null && now > known && this.on) this.#ring();
			known = now;
		});
	}

	turn(): void {
		this.on = !this.on;
		localStorage.setItem(KEPT, this.on ? "on" : "off");
		// A browser lets sound begin only when somebody has touched something.
		if (this.on) this.#ring();
	}

	#ring(): void {
		this.#audio ??= new AudioContext();
		const [audio, begins] = [this.#audio, this.#audio.currentTime];
		for (const [i, pitch] of [660, 880].entries()) {
			const [tone, volume] = [audio.createOscillator(), audio.createGain()];
			tone.frequency.value = pitch;
			volume.gain.setValueAtTime(0.12, begins + i * 0.18);
			volume.gain.exponentialRampToValueAtTime(0.001, begins + i * 0.18 + 0.5);
			tone.connect(volume).connect(audio.destination);
			tone.start(begins + i * 0.18);
			tone.stop(begins + i * 0.18 + 0.5);
		}
	}
}
