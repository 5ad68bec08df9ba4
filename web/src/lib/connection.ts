/** A WebSocket connection that reconnects, matches answers to requests by id, and resends unanswered requests.
 *
 * It knows nothing about tables. A resent request keeps its id, so the server does not execute it twice.
 */
import type { DoneMessage, FromClient, HouseAnswer, NumberedAnswer, ToClient } from "../wire.ts";

export type ConnectionStatus = "connecting" | "live" | "lost" | "closed";
export type Answered = NumberedAnswer | HouseAnswer | DoneMessage;
/** A request without its id, which the connection assigns. */
export type Asked = FromClient extends infer One ? (One extends { id: string } ? Omit<One, "id"> : never) : never;

/** The connection broke before the answer arrived, and the request is no longer valid. The table as shown is correct. */
export class Lost extends Error {}

export interface Waiting {
	readonly id: string;
	readonly request: Asked;
	readonly since: number;
}

export interface ConnectionListener {
	message(message: ToClient): void;
	status(status: ConnectionStatus, why: string): void;
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
/** The close code by which the server refuses a client for good. */
const POLICY_VIOLATION = 1008;

export class Connection {
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
		readonly listener: ConnectionListener,
		/** An anonymous client sends `watch` as its first message. */
		readonly watches = false,
	) {
		window.addEventListener("online", this.#online);
		this.#connect();
	}

	/** The server's time, estimated from the ping answers. */
	now(): number {
		return Date.now() + this.#offset;
	}

	/**
	 * Sends a request. After a reconnect, `still` decides whether the request is resent: a bet of an earlier round is not.
	 * `id` repeats a request whose answer was lost.
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

	/** Call this after the first snapshot: only then is it known which requests are still valid. */
	settled(): void {
		// A further snapshot on the same socket: the pending requests have already been sent on it.
		if (this.#whole) return;
		this.#whole = true;
		this.#failures = 0;
		this.listener.status("live", "");
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
		// The browser itself would wait minutes for a server that does not answer.
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
			// Update the table before resolving the promise, so that the caller sees the table after its request.
			this.listener.message(message);
			const one = this.#pending.get(message.id);
			if (one) {
				this.#pending.delete(message.id);
				this.#tellWaiting();
				one.keep(message);
			}
			return;
		}
		this.listener.message(message);
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
		// Drop a connection that is dead without a close frame.
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
		if (code === POLICY_VIOLATION) {
			this.end();
			this.listener.status("closed", reason);
			return;
		}
		this.listener.status(this.#failures === 0 ? "lost" : "connecting", reason);
		const pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** this.#failures);
		this.#failures += 1;
		// Random jitter, so that the terminals do not all reconnect at the same time.
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
		this.listener.waiting(
			[...this.#pending.values()].filter((one) => one.request.do !== "ping" && one.request.do !== "resume"),
		);
	}
}
