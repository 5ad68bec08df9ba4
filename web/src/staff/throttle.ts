/** Limits how often a function is called. Calls within the interval are combined into one at its end. */
export class Throttle {
	#timer: ReturnType<typeof setTimeout> | undefined;
	#again = false;

	constructor(
		readonly millis: number,
		readonly act: () => void,
	) {}

	call(): void {
		if (this.#timer !== undefined) {
			this.#again = true;
			return;
		}
		this.act();
		this.#timer = setTimeout(() => {
			this.#timer = undefined;
			if (this.#again) {
				this.#again = false;
				this.call();
			}
		}, this.millis);
	}

	end(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#again = false;
	}
}
