/** The time that is left, as a number that changes while somebody looks at it. */

/** Milliseconds until `deadline` by the house's clock; nothing where there is none. Call it while a component is set up. */
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

	/** Whole seconds, as they are called out: 1 until it is over. Then nothing: bets may stay open, and a 0 would deny it. */
	get seconds(): number | null {
		return this.left === null || this.left === 0 ? null : Math.ceil(this.left / 1000);
	}
}
