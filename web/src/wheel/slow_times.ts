/** Learns how long a wheel takes from its word *no more bets* to its number, so that the picture knows when the ball falls. */

/** The number of latest spins that are compared. */
const KEPT = 5;
/** The largest difference in seconds between them. A real wheel differs by much more, and then nothing is expected. */
const SPREAD = 3;

export class SlowTimes {
	#slowedAt: number | null = null;
	#times: readonly number[] = [];

	/** The expected time in seconds, or null if spins are too few or differ too much. */
	get expected(): number | null {
		if (this.#times.length < 2) return null;
		const shortest = Math.min(...this.#times);
		return Math.max(...this.#times) - shortest <= SPREAD ? shortest : null;
	}

	/** Adds what the server reports at a time in seconds. */
	add(slows: boolean, hasOutcome: boolean, at: number): void {
		if (hasOutcome) {
			if (this.#slowedAt !== null) this.#times = [...this.#times, at - this.#slowedAt].slice(-KEPT);
			this.#slowedAt = null;
		} else if (slows) this.#slowedAt ??= at;
		else this.#slowedAt = null;
	}
}
