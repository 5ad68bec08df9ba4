/** A WebSocket for tests. The test opens it, speaks for the server, and breaks it. */
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

	opens() {
		this.readyState = FakeSocket.OPEN;
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

export function last(): FakeSocket {
	return FakeSocket.all.at(-1) as FakeSocket;
}

/** Replaces the browser's WebSocket by the fake. `online` reports that the network is back. */
export function installFakeSocket(): { online: () => void } {
	const listening = new Map<string, () => void>();
	FakeSocket.all = [];
	vi.stubGlobal("WebSocket", FakeSocket);
	vi.stubGlobal("window", {
		location: { href: "http://h/terminal/" },
		addEventListener: (name: string, heard: () => void) => listening.set(name, heard),
		removeEventListener: (name: string) => listening.delete(name),
	});
	return { online: () => listening.get("online")?.() };
}
