/** A soft sound when a new alert or request arrives. It is off until the person turns it on. */

const STORAGE_KEY = "roundhouse.pit.sound";

export class Bell {
	on = $state(localStorage.getItem(STORAGE_KEY) === "on");
	#audio: AudioContext | null = null;

	/** Create it during the set-up of a component. `waiting` returns the number of alerts and requests. */
	constructor(waiting: () => number) {
		let previous: number | null = null;
		$effect(() => {
			const now = waiting();
			if (previous !== null && now > previous && this.on) this.#ring();
			previous = now;
		});
	}

	toggle(): void {
		this.on = !this.on;
		localStorage.setItem(STORAGE_KEY, this.on ? "on" : "off");
		// Browsers allow sound only after a user gesture, and this click is one.
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
