import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSocket, installFakeSocket, last } from "../testing/fake_socket.ts";
import type { ToClient } from "../wire.ts";
import { type Answered, Connection, Lost } from "./connection.ts";

const SNAPSHOT = { snapshot: {}, epoch: "e", public: 1 } as unknown as ToClient;
let statuses: string[];
let network: ReturnType<typeof installFakeSocket>;

function connect(watches = false): Connection {
	const made: Connection = new Connection(
		"/api/x",
		{
			message: (message) => {
				if ("snapshot" in message) made.settled();
			},
			status: (status, why) => statuses.push(why ? `${status} ${why}` : status),
			waiting: () => {},
		},
		watches,
	);
	return made;
}

beforeEach(() => {
	vi.useFakeTimers();
	statuses = [];
	network = installFakeSocket();
});

afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllGlobals();
});

test("an anonymous client sends watch first", () => {
	connect(true);
	last().opens();
	expect(last().sent[0]?.do).toBe("watch");
});

test("an answer resolves the request with its id", async () => {
	const connection = connect();
	last().opens();
	last().says(SNAPSHOT);
	const answer = connection.ask({ do: "undo" });
	const id = last().asked()[0]?.id as string;
	last().says({ id, ok: true, version: 9 });
	expect(((await answer) as Answered).ok).toBe(true);
});

test("an unanswered request is resent once after a reconnect, with the same id", async () => {
	const connection = connect();
	last().opens();
	last().says(SNAPSHOT);
	void connection.ask({ do: "cash_out" });
	const id = last().asked()[0]?.id;
	last().breaks();
	await vi.advanceTimersByTimeAsync(1000);
	last().opens();
	expect(last().asked()).toEqual([]);
	last().says(SNAPSHOT);
	last().says(SNAPSHOT);
	expect(last().asked()).toEqual([{ do: "cash_out", id }]);
	expect(statuses).toEqual(["live", "lost", "live"]);
});

test("a request that is no longer valid is not resent but fails with Lost", async () => {
	const connection = connect();
	last().opens();
	last().says(SNAPSHOT);
	const answer = connection.ask({ do: "undo" }, () => false);
	last().breaks();
	await vi.advanceTimersByTimeAsync(1000);
	last().opens();
	last().says(SNAPSHOT);
	await expect(answer).rejects.toBeInstanceOf(Lost);
	expect(last().asked()).toEqual([]);
});

test("a connection that falls silent is dropped", async () => {
	connect();
	last().opens();
	last().says(SNAPSHOT);
	await vi.advanceTimersByTimeAsync(20_000);
	expect(FakeSocket.all.length).toBeGreaterThan(1);
	expect(statuses).toContain("lost");
});

test("a client that was refused for good does not reconnect", async () => {
	connect();
	last().opens();
	last().breaks(1008, "terminal_is_revoked");
	await vi.advanceTimersByTimeAsync(60_000);
	network.online();
	expect(FakeSocket.all.length).toBe(1);
	expect(statuses).toEqual(["closed terminal_is_revoked"]);
});

test("on a connection that was closed for good, pending and later requests fail with Lost", async () => {
	const connection = connect();
	last().opens();
	last().says(SNAPSHOT);
	const before = connection.ask({ do: "cash_out" });
	last().breaks(1008, "terminal_is_revoked");
	await expect(before).rejects.toBeInstanceOf(Lost);
	await expect(connection.ask({ do: "undo" })).rejects.toBeInstanceOf(Lost);
});
