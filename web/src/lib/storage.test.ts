import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keep, kept, onKept } from "./storage.ts";

let values: Map<string, string>;

beforeEach(() => {
	values = new Map();
	vi.stubGlobal("localStorage", {
		getItem: (key: string) => values.get(key) ?? null,
		setItem: (key: string, value: string) => values.set(key, value),
		removeItem: (key: string) => values.delete(key),
	});
});
afterEach(() => {
	vi.unstubAllGlobals();
});

it("reads back what it stored, under its own prefix", () => {
	keep("session", { since: 5 });
	expect([...values.keys()]).toEqual(["roundhouse.session"]);
	expect(kept("session", null)).toEqual({ since: 5 });
});

it("removes a value that is null", () => {
	keep("session", 1);
	keep("session", null);
	expect(values.size).toBe(0);
	expect(kept("session", 7)).toBe(7);
});

it("ignores a value that is not JSON and a browser without storage", () => {
	values.set("roundhouse.session", "{");
	expect(kept("session", 7)).toBe(7);
	vi.stubGlobal("localStorage", undefined);
	keep("session", 1);
	expect(kept("session", 7)).toBe(7);
});

it("reports changes that other pages make to the same key", () => {
	let listener: (event: { key: string }) => void = () => {};
	vi.stubGlobal("window", {
		addEventListener: (_: string, added: typeof listener) => {
			listener = added;
		},
		removeEventListener: () => {},
	});
	const changed = vi.fn();
	onKept("session", changed);
	listener({ key: "roundhouse.other" });
	listener({ key: "roundhouse.session" });
	expect(changed).toHaveBeenCalledTimes(1);
});
