/** A WebSocket for tests. The test opens it, delivers the server's messages and disconnects it. */
import { vi } from "vitest";
import type { FromClient, ToClient } from "../wire.ts";

export class FakeSocket {
	static readonly CONNECTING = 0;
	static readonly OPEN = 1;
	static all: FakeSocket[] = [];
	readyState = FakeSocket.CONNECTING;
	sent: FromClient[] = [];
	onopen = () => {};
	onmessage = (_: { data: string }) => {};
	onclose = (_: { code: number; reason: string }) => {};

	constructor() {
		FakeSocket.all.push(this);
	}

	send(text: string) {
		this.sent.push(JSON.parse(text) as FromClient);
	}

	close() {}

	open() {
		this.readyState = FakeSocket.OPEN;
		this.onopen();
	}

	/** Delivers a message of the server to the client. */
	receive(message: ToClient) {
		this.onmessage({ data: JSON.stringify(message) });
	}

	disconnect(code = 1006, reason = "") {
		this.readyState = 3;
		this.onclose({ code, reason });
	}

	/** The sent messages without pings. */
	requests(): FromClient[] {
		return this.sent.filter((one) => one.do !== "ping");
	}
}

/** The newest socket. */
export function last(): FakeSocket {
	return FakeSocket.all.at(-1) as FakeSocket;
}

/** Replaces the browser's WebSocket by the fake. `online` fires the browser's event of that name. */
export function installFakeSocket(): { online: () => void } {
	const listeners = new Map<string, () => void>();
	FakeSocket.all = [];
	vi.stubGlobal("WebSocket", FakeSocket);
	vi.stubGlobal("window", {
		location: { href: "http://h/terminal/" },
		addEventListener: (name: string, listener: () => void) => listeners.set(name, listener),
		removeEventListener: (name: string) => listeners.delete(name),
	});
	return { online: () => listeners.get("online")?.() };
}
