/** Synthesised sounds: a chip, the end of betting, a win. They are off until the Player turns them on. */
import { readStored, writeStored } from "../lib/storage.ts";

export class Sound {
	on = $state(readStored("sound", false));
	volume = $state(readStored("volume", 60));
	#context: AudioContext | null = null;

	toggle(): void {
		this.on = !this.on;
		writeStored("sound", this.on);
		if (this.on) this.chip();
	}

	setVolume(percent: number): void {
		this.volume = percent;
		writeStored("volume", percent);
		this.chip();
	}

	/** A short, dry click, as of two clay chips. */
	chip(): void {
		this.#tone(2100, 0, 0.035, 0.25, "triangle");
		this.#tone(3400, 0.004, 0.02, 0.12, "square");
	}

	taken(): void {
		this.#tone(1200, 0, 0.05, 0.2, "triangle");
	}

	noMoreBets(): void {
		this.#tone(392, 0, 0.5, 0.22, "sine");
		this.#tone(294, 0.16, 0.6, 0.22, "sine");
	}

	win(): void {
		for (const [i, pitch] of [523.25, 659.25, 783.99, 1046.5].entries()) this.#tone(pitch, i * 0.11, 0.5, 0.16, "sine");
	}

	#tone(pitch: number, after: number, seconds: number, loudness: number, shape: OscillatorType): void {
		if (!this.on) return;
		this.#context ??= new AudioContext();
		const context = this.#context;
		if (context.state === "suspended") void context.resume();
		const [begins, ends] = [context.currentTime + after, context.currentTime + after + seconds];
		const gain = context.createGain();
		gain.gain.setValueAtTime((loudness * this.volume) / 100, begins);
		gain.gain.exponentialRampToValueAtTime(0.0001, ends);
		const source = context.createOscillator();
		source.type = shape;
		source.frequency.value = pitch;
		source.connect(gain).connect(context.destination);
		source.start(begins);
		source.stop(ends);
	}
}
