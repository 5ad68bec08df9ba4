/**
 * A WebSocket connection that reconnects, matches answers to requests by id, and resends unanswered requests.
 * A resent request keeps its id, so the server does not execute it twice.
 */
import type { DoneMessage, FromClient, HouseAnswer, NumberedAnswer, ToClient } from "../wire.ts";

export type ConnectionStatus = "connecting" | "live" | "lost" | "closed";
export type ServerAnswer = NumberedAnswer | HouseAnswer | DoneMessage;
/** A request without its id, which the connection assigns. */
export type ClientRequest = FromClient extends infer One
	? One extends { id: string }
		? Omit<One, "id">
		: never
	: never;

/**
 * The error of a request whose answer was lost with the connection and which is not resent.
 * The snapshot after the reconnect shows whether the server has executed it.
 */
export class ConnectionLost extends Error {}

/** A request without an answer yet. */
export interface PendingRequest {
	readonly id: string;
	readonly request: ClientRequest;
	/** When it was sent, in milliseconds of the server's clock. */
	readonly since: number;
}

export interface ConnectionListener {
	message(message: ToClient): void;
	/** `why` is the server's reason for closing the connection, or empty. */
	status(status: ConnectionStatus, why: string): void;
	/** Reports all pending requests after each change. */
	waiting(requests: readonly PendingRequest[]): void;
}

interface OpenRequest extends PendingRequest {
	/** Whether to resend it after a reconnect. */
	readonly isValid: () => boolean;
	readonly resolve: (answer: ServerAnswer) => void;
	readonly reject: (error: Error) => void;
}

const PING_MILLIS = 5_000;
/** The connection is dropped if the server sends nothing for this long after a ping. */
const SILENCE_TIMEOUT_MILLIS = 6_000;
/** The pause before a reconnect starts with this value and doubles with each failure, up to the maximum. */
const FIRST_PAUSE_MILLIS = 300;
const MAX_PAUSE_MILLIS = 5_000;
/** The close code of a server that refuses the client. The client does not reconnect. */
const POLICY_VIOLATION = 1008;

export class Connection {
	#socket: WebSocket | null = null;
	#ended = false;
	#failures = 0;
	#lastId = 0;
	/** Whether the first snapshot has arrived on the current socket. */
	#ready = false;
	/** Server time minus local time, in milliseconds. */
	#offset = 0;
	/** The shortest round trip until now, in milliseconds. Slow ones give a bad estimate of the server's time. */
	#fastestPing = Number.POSITIVE_INFINITY;
	#silenceTimer: ReturnType<typeof setTimeout> | undefined;
	#reconnectTimer: ReturnType<typeof setTimeout> | undefined;
	#pingTimer: ReturnType<typeof setInterval> | undefined;
	readonly #pending = new Map<string, OpenRequest>();
	readonly #prefix = [...crypto.getRandomValues(new Uint8Array(9))].map((byte) => byte.toString(36)).join("");
	readonly #online = () => this.#connect();

	constructor(
		readonly path: string,
		readonly listener: ConnectionListener,
		/** An anonymous client sends `watch` as its first message. */
		readonly anonymous = false,
	) {
		window.addEventListener("online", this.#online);
		this.#connect();
	}

	/** The server's time in milliseconds, estimated from the ping answers. */
	now(): number {
		return Date.now() + this.#offset;
	}

	/**
	 * Sends a request. After a reconnect, `isValid` decides whether the request is resent; a bet of an earlier round is not.
	 * Pass the `id` of an earlier request to repeat it.
	 */
	ask(request: ClientRequest, isValid: () => boolean = () => true, id = this.newId()): Promise<ServerAnswer> {
		if (this.#ended) return Promise.reject(new ConnectionLost());
		return new Promise((resolve, reject) => {
			this.#pending.set(id, { id, request, since: this.now(), isValid, resolve, reject });
			this.#send({ ...request, id } as FromClient);
			this.#reportPending();
		});
	}

	newId(): string {
		this.#lastId += 1;
		return `${this.#prefix}-${this.#lastId}`;
	}

	end(): void {
		this.#ended = true;
		window.removeEventListener("online", this.#online);
		this.#stopTimers();
		clearTimeout(this.#reconnectTimer);
		this.#socket?.close(1000);
		const pending = [...this.#pending.values()];
		this.#pending.clear();
		this.#reportPending();
		for (const one of pending) one.reject(new ConnectionLost());
	}

	/** Resends the pending requests that are still valid. The owner calls it after each snapshot, which shows their validity. */
	snapshotReceived(): void {
		// A later snapshot on the same socket: the pending requests were already resent after the first one.
		if (this.#ready) return;
		this.#ready = true;
		this.#failures = 0;
		this.listener.status("live", "");
		for (const one of [...this.#pending.values()]) {
			if (one.isValid()) this.#send({ ...one.request, id: one.id } as FromClient);
			else {
				this.#pending.delete(one.id);
				one.reject(new ConnectionLost());
			}
		}
		this.#reportPending();
	}

	#connect(): void {
		const state = this.#socket?.readyState;
		if (this.#ended || state === WebSocket.CONNECTING || state === WebSocket.OPEN) return;
		clearTimeout(this.#reconnectTimer);
		const url = new URL(this.path, window.location.href);
		url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
		const socket = new WebSocket(url);
		this.#socket = socket;
		// Without this timeout the browser waits for minutes if the server does not answer.
		this.#silenceTimer = setTimeout(() => this.#drop(), SILENCE_TIMEOUT_MILLIS);
		socket.onopen = () => {
			clearTimeout(this.#silenceTimer);
			this.#silenceTimer = undefined;
			if (this.anonymous) this.#send({ id: this.newId(), do: "watch" });
			this.#pingTimer = setInterval(() => this.#ping(), PING_MILLIS);
			this.#ping();
		};
		socket.onmessage = (message) => {
			if (socket === this.#socket) this.#receive(JSON.parse(message.data as string) as ToClient);
		};
		socket.onclose = (closed) => {
			if (socket === this.#socket) this.#closed(closed.code, closed.reason);
		};
	}

	#receive(message: ToClient): void {
		clearTimeout(this.#silenceTimer);
		this.#silenceTimer = undefined;
		if ("ok" in message && message.id !== null) {
			// Update the table before resolving the promise, so that the caller sees the table after its request.
			this.listener.message(message);
			const one = this.#pending.get(message.id);
			if (one) {
				this.#pending.delete(message.id);
				this.#reportPending();
				one.resolve(message);
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
			isValid: () => false,
			resolve: (answer) => this.#compareClocks(sent, answer),
			reject: () => undefined,
		});
		this.#send({ id, do: "ping" });
		// A dead connection may never deliver a close frame.
		this.#silenceTimer ??= setTimeout(() => this.#drop(), SILENCE_TIMEOUT_MILLIS);
	}

	#compareClocks(sent: number, answer: ServerAnswer): void {
		const roundTrip = Date.now() - sent;
		if (!("now" in answer) || roundTrip > this.#fastestPing + 50) return;
		this.#fastestPing = Math.min(roundTrip, this.#fastestPing);
		this.#offset = answer.now - sent - roundTrip / 2;
	}

	#drop(): void {
		const socket = this.#socket;
		this.#socket = null;
		socket?.close();
		this.#closed(1006, "");
	}

	#closed(code: number, reason: string): void {
		this.#socket = null;
		this.#ready = false;
		this.#stopTimers();
		if (this.#ended) return;
		if (code === POLICY_VIOLATION) {
			this.end();
			this.listener.status("closed", reason);
			return;
		}
		this.listener.status(this.#failures === 0 ? "lost" : "connecting", reason);
		const pause = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS * 2 ** this.#failures);
		this.#failures += 1;
		// Jitter keeps the terminals from reconnecting all at the same time.
		this.#reconnectTimer = setTimeout(() => this.#connect(), pause * (0.5 + Math.random() / 2));
	}

	#stopTimers(): void {
		clearInterval(this.#pingTimer);
		clearTimeout(this.#silenceTimer);
		this.#silenceTimer = undefined;
	}

	#send(message: FromClient): void {
		if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
	}

	#reportPending(): void {
		this.listener.waiting(
			[...this.#pending.values()].filter((one) => one.request.do !== "ping" && one.request.do !== "resume"),
		);
	}
}
