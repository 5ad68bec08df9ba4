/** Who works at this screen: coming, going, the lock. It asks the house and never decides itself who somebody is. */
import { Api, Refused } from "../lib/api.ts";
import type { Admitted, Me, Role } from "../wire.ts";
import { AT_A_CONSOLE, type SessionState, sessionState } from "./session_state.ts";
import { Throttle } from "./throttle.ts";

/** The house locks a console after five minutes; saying once a minute that somebody is here is more than enough. */
const TOUCH_MILLIS = 60_000;
/** A lock that the clock or a manager brings is noticed no later than this. */
const LOOK_MILLIS = 15_000;

export class StaffSession {
	/** Nothing until the house has said who this browser is. */
	me = $state.raw<Me | null>(null);
	/** Why the house could not be asked. */
	trouble = $state("");
	/** Left by its person, and not yet known to be locked by the house. */
	#left = false;
	/** Counts up with everything that makes an answer on its way an old one. */
	#turn = 0;

	constructor(
		readonly api: Api = new Api(),
		/** The table at whose console this screen stands; the pit's desk stands at none. */
		readonly console: string | null = null,
	) {}

	get state(): SessionState {
		return sessionState(this.me, this.console);
	}

	get name(): string {
		return this.me?.name ?? "";
	}

	/** In which positions somebody acts here and now, the highest first: a Dealer is one at his own console alone. */
	get positions(): readonly Role[] {
		const me = this.me;
		if (!me) return [];
		return me.positions.filter(
			(role) => !AT_A_CONSOLE.has(role) || (me.console !== null && me.console === this.console),
		);
	}

	/** Looks who is here, and goes on looking; ends when the function that it gives is called. */
	begin(): () => void {
		const touching = new Throttle(TOUCH_MILLIS, () => void this.#touch());
		const here = () => this.state === "in" && touching.call();
		const look = () => document.visibilityState === "visible" && void this.refresh();
		const timer = setInterval(look, LOOK_MILLIS);
		document.addEventListener("visibilitychange", look);
		window.addEventListener("pointerdown", here, { passive: true });
		window.addEventListener("keydown", here);
		void this.refresh();
		return () => {
			clearInterval(timer);
			touching.end();
			document.removeEventListener("visibilitychange", look);
			window.removeEventListener("pointerdown", here);
			window.removeEventListener("keydown", here);
		};
	}

	async refresh(): Promise<void> {
		this.#turn += 1;
		const turn = this.#turn;
		try {
			const me = await this.api.me();
			if (turn !== this.#turn) return;
			if (!this.#left || me.kind !== "person" || me.locked) {
				this.#left = false;
				this.me = me;
			} else {
				// Whoever has left is not seen because his word did not reach the house: it is said until it does.
				this.me = { ...me, locked: true };
				await this.api.post("/api/lock");
				if (turn === this.#turn) this.#left = false;
			}
			this.trouble = "";
		} catch (error) {
			this.trouble = error instanceof Refused ? error.message : String(error);
		}
	}

	/** Fails with `Refused`; what it says is for the person who tried. */
	async logIn(name: string, password: string): Promise<void> {
		const admitted = await this.api.post<Admitted>("/api/log-in", { name, password, console: this.console });
		this.#turn += 1;
		this.#left = false;
		this.me = this.api.knows(admitted.me);
	}

	async logOut(): Promise<void> {
		await this.api.post("/api/log-out");
		await this.refresh();
	}

	/** At once, because somebody leaves: hidden before the house has answered, and until it has. */
	async lock(): Promise<void> {
		this.#left = true;
		if (this.me) this.me = { ...this.me, locked: true };
		await this.refresh();
	}

	async unlock(password: string): Promise<void> {
		if (this.#left) await this.refresh();
		const me = await this.api.post<Me>("/api/unlock", { password });
		this.#turn += 1;
		this.#left = false;
		this.me = this.api.knows(me);
	}

	async #touch(): Promise<void> {
		try {
			await this.api.post<Me>("/api/touch");
		} catch {
			await this.refresh();
		}
	}
}
