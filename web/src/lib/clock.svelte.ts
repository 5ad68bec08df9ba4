/** A reactive countdown to a deadline that the server has set. */

/** Counts down to `deadline` by the server's clock. Construct it during component setup, because it uses an effect. */
export class Countdown {
	/** Milliseconds until the deadline, or null without one. */
	left = $state<number | null>(null);

	constructor(deadline: () => number | null, now: () => number) {
		$effect(() => {
			const until = deadline();
			if (until === null) {
				this.left = null;
				return;
			}
			const update = () => {
				this.left = Math.max(0, until - now());
			};
			update();
			const timer = setInterval(update, 100);
			return () => clearInterval(timer);
		});
	}

	/** Whole seconds, rounded up. Null instead of 0 at the end, because bets may stay open after the deadline. */
	get seconds(): number | null {
		return this.left === null || this.left === 0 ? null : Math.ceil(this.left / 1000);
	}
}
