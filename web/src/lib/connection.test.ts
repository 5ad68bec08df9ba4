/** Tests of the WebSocket connection: answers, reconnects and resending. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeSocket, installFakeSocket, last } from "../testing/fake_socket.ts";
import type { ToClient } from "../wire.ts";
import { Connection, ConnectionLost, type ServerAnswer } from "./connection.ts";

const SNAPSHOT = { snapshot: {}, epoch: "e", public: 1 } as unknown as ToClient;
let statuses: string[];
let network: ReturnType<typeof installFakeSocket>;

function connect(anonymous = false): Connection {
	const connection: Connection = new Connection(
		"/api/x",
		{
			message: (message) => {
				if ("snapshot" in message) connection.snapshotReceived();
			},
			status: (status, why) => statuses.push(why ? `${status} ${why}` : status),
			waiting: () => {},
		},
		anonymous,
	);
	return connection;
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
	last().open();
	expect(last().sent[0]?.do).toBe("watch");
});

test("an answer resolves the request with its id", async () => {
	const connection = connect();
	last().open();
	last().receive(SNAPSHOT);
	const answer = connection.ask({ do: "undo" });
	const id = last().requests()[0]?.id as string;
	last().receive({ id, ok: true, version: 9 });
	expect(((await answer) as ServerAnswer).ok).toBe(true);
});

test("an unanswered request is resent once after a reconnect, with the same id", async () => {
	const connection = connect();
	last().open();
	last().receive(SNAPSHOT);
	void connection.ask({ do: "cash_out" });
	const id = last().requests()[0]?.id;
	last().disconnect();
	await vi.advanceTimersByTimeAsync(1000);
	last().open();
	expect(last().requests()).toEqual([]);
	last().receive(SNAPSHOT);
	last().receive(SNAPSHOT);
	expect(last().requests()).toEqual([{ do: "cash_out", id }]);
	expect(statuses).toEqual(["live", "lost", "live"]);
});

test("a request that is no longer valid is not resent but fails with ConnectionLost", async () => {
	const connection = connect();
	last().open();
	last().receive(SNAPSHOT);
	const answer = connection.ask({ do: "undo" }, () => false);
	last().disconnect();
	await vi.advanceTimersByTimeAsync(1000);
	last().open();
	last().receive(SNAPSHOT);
	await expect(answer).rejects.toBeInstanceOf(ConnectionLost);
	expect(last().requests()).toEqual([]);
});

test("a connection that falls silent is dropped", async () => {
	connect();
	last().open();
	last().receive(SNAPSHOT);
	await vi.advanceTimersByTimeAsync(20_000);
	expect(FakeSocket.all.length).toBeGreaterThan(1);
	expect(statuses).toContain("lost");
});

test("a client does not reconnect after the server has refused it", async () => {
	connect();
	last().open();
	last().disconnect(1008, "terminal_is_revoked");
	await vi.advanceTimersByTimeAsync(60_000);
	network.online();
	expect(FakeSocket.all.length).toBe(1);
	expect(statuses).toEqual(["closed terminal_is_revoked"]);
});

test("pending and later requests fail with ConnectionLost after the server has refused the client", async () => {
	const connection = connect();
	last().open();
	last().receive(SNAPSHOT);
	const before = connection.ask({ do: "cash_out" });
	last().disconnect(1008, "terminal_is_revoked");
	await expect(before).rejects.toBeInstanceOf(ConnectionLost);
	await expect(connection.ask({ do: "undo" })).rejects.toBeInstanceOf(ConnectionLost);
});
