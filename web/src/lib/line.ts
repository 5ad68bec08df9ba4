/** A line to the house that comes back: one socket after another, and every request answered or told lost.
 *
 * It knows nothing of tables. A request keeps its id, so that it can be sent again without being done twice.
 */
import type { DoneMessage, FromClient, HouseAnswer, NumberedAnswer, ToClient } from "../wire.ts";

export type Connection = "connecting" | "live" | "lost" | "closed";
export type Answered = NumberedAnswer | HouseAnswer | DoneMessage;
/** A request without its id, which the line gives. */
export type Asked = FromClient extends infer One ? (One extends { id: string } ? Omit<One, "id"> : never) : never;

/** The line was lost before an answer came, and the moment for the request has passed: what is shown is the truth. */
export class Lost extends Error {}

export interface Waiting {
	readonly id: string;
	readonly request: Asked;
	readonly since: number;
}

export interface Hears {
	message(message: ToClient): void;
	connection(connection: Connection, why: string): void;
	waiting(requests: readonly Waiting[]): void;
}

interface Pending extends Waiting {
	readonly still: () => boolean;
	readonly keep: (answer: Answered) => void;
	readonly lose: (error: Error) => void;
}

const PING_MILLIS = 8_000;
const SILENCE_MILLIS = 6_000;
const FIRST_PAUSE_MILLIS = 300;
const LONGEST_PAUSE_MILLIS = 5_000;
const MAKES_NO_SENSE_TO_COME_BACK = 1008;

export class Line {
	#socket: WebSocket | null = null;
	#ended = false;
	#failures = 0;
	#count = 0;
	#whole = false;
	#offset = 0;
	#best = Number.POSITIVE_INFINITY;
	#quiet: ReturnType<typeof setTimeout> | undefined;
	#again: ReturnType<typeof setTimeout> | undefined;
	#pinging: ReturnType<typeof setInterval> | undefined;
	readonly #pending = new Map<string, Pending>();
	readonly #prefix = [...crypto.getRandomValues(new Uint8Array(9))].map((byte) => byte.toString(36)).join("");
	readonly #online = () => this.#connect();

	constructor(
		readonly path: string,
		readonly hears: Hears,
		/** Whoever has shown nothing says first that he only watches. */
		readonly watches = false,
	) {
		window.addEventListener("online", this.#online);
		this.#connect();
	}

	/** The house's clock, as well as it is known here. */
	now(): number {
		return Date.now() + this.#offset;
	}

	/**
	 * `still` says, when the line is back, whether the request still means what it meant: a bet of another round does not.
	 * `id` is given by whoever has asked before and lost the answer.
	 */
	ask(request: Asked, still: () => boolean = () => true, id = this.newId()): Promise<Answered> {
		if (this.#ended) return Promise.reject(new Lost());
		return new Promise((keep, lose) => {
			this.#pending.set(id, { id, request, since: this.now(), still, keep, lose });
			this.#send({ ...request, id } as FromClient);
			this.#tellWaiting();
		});
	}

	newId(): string {
		this.#count += 1;
		return `${this.#prefix}-${this.#count}`;
	}

	end(): void {
		this.#ended = true;
		window.removeEventListener("online", this.#online);
		this.#stopTimers();
		clearTimeout(this.#again);
		this.#socket?.close(1000);
		const pending = [...this.#pending.values()];
		this.#pending.clear();
		this.#tellWaiting();
		for (const one of pending) one.lose(new Lost());
	}

	/** To be called when the first whole picture is there: only then it is known what may be sent again. */
	settled(): void {
		// Shown the whole again on a line that holds: what was sent on it is on its way.
		if (this.#whole) return;
		this.#whole = true;
		this.#failures = 0;
		this.hears.connection("live", "");
		for (const one of [...this.#pending.values()]) {
			if (one.still()) this.#send({ ...one.request, id: one.id } as FromClient);
			else {
				this.#pending.delete(one.id);
				one.lose(new Lost());
			}
		}
		this.#tellWaiting();
	}

	#connect(): void {
		const state = this.#socket?.readyState;
		if (this.#ended || state === WebSocket.CONNECTING || state === WebSocket.OPEN) return;
		clearTimeout(this.#again);
		const url = new URL(this.path, window.location.href);
		url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
		const socket = new WebSocket(url);
		this.#socket = socket;
		// One that nobody answers would be waited for by the browser for minutes.
		this.#quiet = setTimeout(() => this.#drop(), SILENCE_MILLIS);
		socket.onopen = () => {
			clearTimeout(this.#quiet);
			this.#quiet = undefined;
			if (this.watches) this.#send({ id: this.newId(), do: "watch" });
			this.#pinging = setInterval(() => this.#ping(), PING_MILLIS);
			this.#ping();
		};
		socket.onmessage = (message) => {
			if (socket === this.#socket) this.#hear(JSON.parse(message.data as string) as ToClient);
		};
		socket.onclose = (closed) => {
			if (socket === this.#socket) this.#closed(closed.code, closed.reason);
		};
	}

	#hear(message: ToClient): void {
		clearTimeout(this.#quiet);
		this.#quiet = undefined;
		if ("ok" in message && message.id !== null) {
			// First what it says, then whoever waits for it: who awaits an answer finds the table as it is after it.
			this.hears.message(message);
			const one = this.#pending.get(message.id);
			if (one) {
				this.#pending.delete(message.id);
				this.#tellWaiting();
				one.keep(message);
			}
			return;
		}
		this.hears.message(message);
	}

	#ping(): void {
		const sent = Date.now();
		const id = this.newId();
		this.#pending.set(id, {
			id,
			request: { do: "ping" },
			since: sent,
			still: () => false,
			keep: (answer) => this.#compareClocks(sent, answer),
			lose: () => undefined,
		});
		this.#send({ id, do: "ping" });
		// A line that is dead without saying so is given up, not waited for.
		this.#quiet ??= setTimeout(() => this.#drop(), SILENCE_MILLIS);
	}

	#compareClocks(sent: number, answer: Answered): void {
		const took = Date.now() - sent;
		if (!("now" in answer) || took > this.#best + 50) return;
		this.#best = Math.min(took, this.#best);
		this.#offset = answer.now - sent - took / 2;
	}

	#drop(): void {
		const socket = this.#socket;
		this.#socket = null;
		socket?.close();
		this.#closed(1006, "");
	}

	#closed(code: number, reason: string): void {
		this.#socket = null;
		this.#whole = false;
		this.#stopTimers();
		if (this.#ended) return;
		if (code === MAKES_NO_SENSE_TO_COME_BACK) {
			this.end();
			this.hears.connection("closed", reason);
			return;
		}
		this.hears.connection(this.#failures === 0 ? "lost" : "connecting", reason);
		const pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** this.#failures);
		this.#failures += 1;
		// Not all terminals of a house at one instant.
		this.#again = setTimeout(() => this.#connect(), pause * (0.5 + Math.random() / 2));
	}

	#stopTimers(): void {
		clearInterval(this.#pinging);
		clearTimeout(this.#quiet);
		this.#quiet = undefined;
	}

	#send(message: FromClient): void {
		if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
	}

	#tellWaiting(): void {
		this.hears.waiting(
			[...this.#pending.values()].filter((one) => one.request.do !== "ping" && one.request.do !== "resume"),
		);
	}
}
