/** The session of the person at this screen: log-in, log-out and the lock. The server decides who the person is. */
import { Api, Refused } from "../lib/api.ts";
import type { CurrentUser, LoggedIn, Role } from "../wire.ts";
import { type SessionState, sessionState } from "./session_state.ts";
import { Throttle } from "./throttle.ts";

/** Activity is reported at most this often. The server locks a console after five minutes without activity. */
const TOUCH_MILLIS = 60_000;
/** The interval of polling, in which a lock by the server is noticed. */
const POLL_MILLIS = 15_000;

export class StaffSession {
	/** The identity of this browser. Null before the first answer of the server. */
	me = $state.raw<CurrentUser | null>(null);
	/** The error of the last request for the identity, or empty. */
	trouble = $state("");
	/** Whether the screen was locked here and the server has not confirmed the lock yet. */
	#lockPending = false;
	/** Counts the changes of the identity, to ignore answers to earlier requests. */
	#revision = 0;

	constructor(
		readonly api: Api = new Api(),
		/** The table of this console, or null on other screens. */
		readonly console: string | null = null,
	) {}

	get state(): SessionState {
		return sessionState(this.me, this.console);
	}

	get name(): string {
		return this.me?.name ?? "";
	}

	/** The positions of the person on this screen, the highest first. A Dealer has that position only at their own console. */
	get positions(): readonly Role[] {
		const me = this.me;
		if (!me) return [];
		return me.console !== null && me.console === this.console ? me.positions : me.everywhere;
	}

	/** Polls the identity and reports activity to the server. Returns a function that stops both. */
	begin(): () => void {
		const activity = new Throttle(TOUCH_MILLIS, () => void this.#touch());
		const onActivity = () => this.state === "in" && activity.call();
		const poll = () => document.visibilityState === "visible" && void this.refresh();
		const timer = setInterval(poll, POLL_MILLIS);
		document.addEventListener("visibilitychange", poll);
		window.addEventListener("pointerdown", onActivity, { passive: true });
		window.addEventListener("keydown", onActivity);
		void this.refresh();
		return () => {
			clearInterval(timer);
			activity.end();
			document.removeEventListener("visibilitychange", poll);
			window.removeEventListener("pointerdown", onActivity);
			window.removeEventListener("keydown", onActivity);
		};
	}

	async refresh(): Promise<void> {
		this.#revision += 1;
		const revision = this.#revision;
		try {
			const me = await this.api.me();
			if (revision !== this.#revision) return;
			if (!this.#lockPending || me.kind !== "person" || me.locked) {
				this.#lockPending = false;
				this.me = me;
			} else {
				// The lock did not reach the server: keep the screen locked and send the lock again.
				this.me = { ...me, locked: true };
				await this.api.post("/api/lock");
				if (revision === this.#revision) this.#lockPending = false;
			}
			this.trouble = "";
		} catch (error) {
			this.trouble = error instanceof Refused ? error.message : String(error);
		}
	}

	/** Logs in. Throws `Refused` with a message for the person. */
	async logIn(name: string, password: string): Promise<void> {
		const loggedIn = await this.api.post<LoggedIn>("/api/log-in", { name, password, console: this.console });
		this.#revision += 1;
		this.#lockPending = false;
		this.me = this.api.setIdentity(loggedIn.me);
	}

	async logOut(): Promise<void> {
		await this.api.post("/api/log-out");
		await this.refresh();
	}

	/** Locks the screen at once, before the server has answered. */
	async lock(): Promise<void> {
		this.#lockPending = true;
		if (this.me) this.me = { ...this.me, locked: true };
		await this.refresh();
	}

	async unlock(password: string): Promise<void> {
		if (this.#lockPending) await this.refresh();
		const me = await this.api.post<CurrentUser>("/api/unlock", { password });
		this.#revision += 1;
		this.#lockPending = false;
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
