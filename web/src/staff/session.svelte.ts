/** The session of the person at this screen: log-in, log-out and the lock. The server decides who the person is. */
import { Api, Refused } from "../lib/api.ts";
import type { CurrentUser, LoggedIn, Role } from "../wire.ts";
import { type SessionState, sessionState } from "./session_state.ts";
import { Throttle } from "./throttle.ts";

/** The server locks a console after five minutes without activity, so one message per minute is enough. */
const TOUCH_MILLIS = 60_000;
/** A lock by the server is noticed within this time. */
const LOOK_MILLIS = 15_000;

export class StaffSession {
	/** Null until the server has reported who this browser is. */
	me = $state.raw<CurrentUser | null>(null);
	/** Why the server could not be asked. */
	trouble = $state("");
	/** Locked here, and not yet locked by the server. */
	#left = false;
	/** Increases with every action that makes a pending answer outdated. */
	#turn = 0;

	constructor(
		readonly api: Api = new Api(),
		/** The table of this console, or null for the pit desk. */
		readonly console: string | null = null,
	) {}

	get state(): SessionState {
		return sessionState(this.me, this.console);
	}

	get name(): string {
		return this.me?.name ?? "";
	}

	/** The positions in which the person acts here, the highest first. A Dealer is a Dealer only at their own console. */
	get positions(): readonly Role[] {
		const me = this.me;
		if (!me) return [];
		return me.console !== null && me.console === this.console ? me.positions : me.everywhere;
	}

	/** Polls the person's identity. Returns a function that stops the polling. */
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
				// The lock did not reach the server: show the screen as locked and send the lock again.
				this.me = { ...me, locked: true };
				await this.api.post("/api/lock");
				if (turn === this.#turn) this.#left = false;
			}
			this.trouble = "";
		} catch (error) {
			this.trouble = error instanceof Refused ? error.message : String(error);
		}
	}

	/** Throws `Refused` with a message for the person. */
	async logIn(name: string, password: string): Promise<void> {
		const admitted = await this.api.post<LoggedIn>("/api/log-in", { name, password, console: this.console });
		this.#turn += 1;
		this.#left = false;
		this.me = this.api.setIdentity(admitted.me);
	}

	async logOut(): Promise<void> {
		await this.api.post("/api/log-out");
		await this.refresh();
	}

	/** Locks at once: the screen is hidden before the server has answered. */
	async lock(): Promise<void> {
		this.#left = true;
		if (this.me) this.me = { ...this.me, locked: true };
		await this.refresh();
	}

	async unlock(password: string): Promise<void> {
		if (this.#left) await this.refresh();
		const me = await this.api.post<CurrentUser>("/api/unlock", { password });
		this.#turn += 1;
		this.#left = false;
		this.me = this.api.setIdentity(me);
	}

	async #touch(): Promise<void> {
		try {
			await this.api.post<CurrentUser>("/api/touch");
		} catch {
			await this.refresh();
		}
	}
}
