import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSocket, installFakeSocket, last } from "../testing/fake_socket.ts";
import type { ToClient } from "../wire.ts";
import { type Answered, Line, Lost } from "./line.ts";

const SNAPSHOT = { snapshot: {}, epoch: "e", public: 1 } as unknown as ToClient;
let connections: string[];
let network: ReturnType<typeof installFakeSocket>;

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

beforeEach(() => {
	vi.useFakeTimers();
	connections = [];
	network = installFakeSocket();
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
	expect(FakeSocket.all.length).toBeGreaterThan(1);
	expect(connections).toContain("lost");
});

test("who was closed for good does not come back", async () => {
	line();
	last().opens();
	last().breaks(1008, "terminal_is_revoked");
	await vi.advanceTimersByTimeAsync(60_000);
	network.online();
	expect(FakeSocket.all.length).toBe(1);
	expect(connections).toEqual(["closed terminal_is_revoked"]);
});

test("on a line that is closed for good nothing waits: what was asked is told lost, and so is what is asked later", async () => {
	const one = line();
	last().opens();
	last().says(SNAPSHOT);
	const before = one.ask({ do: "cash_out" });
	last().breaks(1008, "terminal_is_revoked");
	await expect(before).rejects.toBeInstanceOf(Lost);
	await expect(one.ask({ do: "undo" })).rejects.toBeInstanceOf(Lost);
});
