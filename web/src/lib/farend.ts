/** The far end of a line, in a test's hands. */
import { vi } from "vitest";
import type { FromClient, ToClient } from "../wire.ts";

export class Socket {
	static readonly CONNECTING = 0;
	static readonly OPEN = 1;
	static all: Socket[] = [];
	readyState = Socket.CONNECTING;
	sent: FromClient[] = [];
	onopen = () => {};
	onmessage = (_: { data: string }) => {};
	onclose = (_: { code: number; reason: string }) => {};

	constructor() {
		Socket.all.push(this);
	}

	send(text: string) {
		this.sent.push(JSON.parse(text) as FromClient);
	}

	close() {}

	opens() {
		this.readyState = Socket.OPEN;
		this.onopen();
	}

	says(message: ToClient) {
		this.onmessage({ data: JSON.stringify(message) });
	}

	breaks(code = 1006, reason = "") {
		this.readyState = 3;
		this.onclose({ code, reason });
	}

	asked(): FromClient[] {
		return this.sent.filter((one) => one.do !== "ping");
	}
}

export function last(): Socket {
	return Socket.all.at(-1) as Socket;
}

/** Where a browser has its sockets, there is this one; `online` says that the network is back. */
export function standIn(): { online: () => void } {
	const listening = new Map<string, () => void>();
	Socket.all = [];
	vi.stubGlobal("WebSocket", Socket);
	vi.stubGlobal("window", {
		location: { href: "http://h/terminal/" },
		addEventListener: (name: string, heard: () => void) => listening.set(name, heard),
		removeEventListener: (name: string) => listening.delete(name),
	});
	return { online: () => listening.get("online")?.() };
}
