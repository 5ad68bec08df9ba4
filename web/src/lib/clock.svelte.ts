/** A reactive countdown to a deadline of the server. */

/** The milliseconds until `deadline` by the server's clock, or null without a deadline. Construct it during component setup. */
export class Countdown {
	left = $state<number | null>(null);

	constructor(deadline: () => number | null, now: () => number) {
		$effect(() => {
			const until = deadline();
			if (until === null) {
				this.left = null;
				return;
			}
			const look = () => {
				this.left = Math.max(0, until - now());
			};
			look();
			const timer = setInterval(look, 100);
			return () => clearInterval(timer);
		});
	}

	/** Whole seconds, rounded up. Null at the end rather than 0, because bets may stay open after the deadline. */
	get seconds(): number | null {
		return this.left === null || this.left === 0 ? null : Math.ceil(this.left / 1000);
	}
}
