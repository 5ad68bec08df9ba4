/** Tests of the local storage. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { onStoredChange, readStored, writeStored } from "./storage.ts";

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

it("reads back a stored value, under its own prefix", () => {
	writeStored("session", { since: 5 });
	expect([...values.keys()]).toEqual(["roundhouse.session"]);
	expect(readStored("session", null)).toEqual({ since: 5 });
});

it("removes the stored value for null", () => {
	writeStored("session", 1);
	writeStored("session", null);
	expect(values.size).toBe(0);
	expect(readStored("session", 7)).toBe(7);
});

it("ignores a value that is not JSON and a browser without storage", () => {
	values.set("roundhouse.session", "{");
	expect(readStored("session", 7)).toBe(7);
	vi.stubGlobal("localStorage", undefined);
	writeStored("session", 1);
	expect(readStored("session", 7)).toBe(7);
});

it("reports changes of the same key by other pages", () => {
	let listener: (event: { key: string }) => void = () => {};
	vi.stubGlobal("window", {
		addEventListener: (_: string, added: typeof listener) => {
			listener = added;
		},
		removeEventListener: () => {},
	});
	const changed = vi.fn();
	onStoredChange("session", changed);
	listener({ key: "roundhouse.other" });
	listener({ key: "roundhouse.session" });
	expect(changed).toHaveBeenCalledTimes(1);
});
