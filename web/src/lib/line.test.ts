import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FromClient, ToClient } from "../wire.ts";
import { type Answered, Line, Lost } from "./line.ts";

/** The far end of a line, in the test's hands. */
class Socket {
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

const SNAPSHOT = { snapshot: {}, epoch: "e", public: 1 } as unknown as ToClient;
let connections: string[];

function line(watches = false): Line {
	const made: Line = new Line(
		"/api/x",
		{
			message: (message) => {
				if ("snapshot" in message) made.settled();
			},
			connection: (connection, why) => connections.push(why ? `${connection} ${why}` : connection),
			waiting: () => {},
		},
		watches,
	);
	return made;
}

function last(): Socket {
	return Socket.all.at(-1) as Socket;
}

beforeEach(() => {
	vi.useFakeTimers();
	Socket.all = [];
	connections = [];
	vi.stubGlobal("WebSocket", Socket);
	vi.stubGlobal("window", {
		location: { href: "http://h/terminal/" },
		addEventListener() {},
		removeEventListener() {},
	});
});

afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllGlobals();
});

test("whoever only watches says so first", () => {
	line(true);
	last().opens();
	expect(last().sent[0]?.do).toBe("watch");
});

test("an answer reaches whoever asked, by its id", async () => {
	const one = line();
	last().opens();
	last().says(SNAPSHOT);
	const answer = one.ask({ do: "undo" });
	const id = last().asked()[0]?.id as string;
	last().says({ id, ok: true, version: 9 });
	expect(((await answer) as Answered).ok).toBe(true);
});

test("what was not answered is sent again under its id when the line is back, and once", async () => {
	const one = line();
	last().opens();
	last().says(SNAPSHOT);
	void one.ask({ do: "cash_out" });
	const id = last().asked()[0]?.id;
	last().breaks();
	await vi.advanceTimersByTimeAsync(1000);
	last().opens();
	expect(last().asked()).toEqual([]);
	last().says(SNAPSHOT);
	last().says(SNAPSHOT);
	expect(last().asked()).toEqual([{ do: "cash_out", id }]);
	expect(connections).toEqual(["live", "lost", "live"]);
});

test("what means nothing any more is not sent again: it is lost, and said so", async () => {
	const one = line();
	last().opens();
	last().says(SNAPSHOT);
	const answer = one.ask({ do: "undo" }, () => false);
	last().breaks();
	await vi.advanceTimersByTimeAsync(1000);
	last().opens();
	last().says(SNAPSHOT);
	await expect(answer).rejects.toBeInstanceOf(Lost);
	expect(last().asked()).toEqual([]);
});

test("a line that is dead without saying so is given up", async () => {
	line();
	last().opens();
	last().says(SNAPSHOT);
	await vi.advanceTimersByTimeAsync(20_000);
	expect(Socket.all.length).toBeGreaterThan(1);
	expect(connections).toContain("lost");
});

test("who was closed for good does not come back", async () => {
	line();
	last().opens();
	last().breaks(1008, "terminal_is_revoked");
	await vi.advanceTimersByTimeAsync(60_000);
	expect(Socket.all.length).toBe(1);
	expect(connections).toEqual(["closed terminal_is_revoked"]);
});
