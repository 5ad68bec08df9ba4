/** Checks which folders each folder of `src` may import. No screen imports another screen. */
import { expect, it } from "vitest";

const SHARED = ["lib", "layout", "wheel"];
const ALLOWED: Record<string, readonly string[]> = {
	lib: [],
	layout: ["lib"],
	wheel: ["lib"],
	staff: SHARED,
	terminal: SHARED,
	display: SHARED,
	lobby: SHARED,
	console: [...SHARED, "staff"],
	pit: [...SHARED, "staff"],
	recall: [...SHARED, "staff"],
	cage: [...SHARED, "staff"],
	testing: ["lib"],
};

const FILES = import.meta.glob<string>("./*/**/*.{ts,svelte,css}", { query: "?raw", import: "default", eager: true });
const IMPORTED = /(?:\bfrom|\bimport|@import|\bimport\()\s*["'](\.{1,2}\/[^"']+)["']/g;

interface Import {
	readonly file: string;
	/** The importing folder. */
	readonly from: string;
	/** The imported folder, or the file name for a file directly in `src`. */
	readonly to: string;
}

function imports(): Import[] {
	return Object.entries(FILES).flatMap(([file, text]) =>
		[...text.matchAll(IMPORTED)].map(([, target = ""]) => {
			const path = new URL(target, `file:///${file.slice(2)}`).pathname.slice(1);
			return { file, from: file.split("/")[1] ?? "", to: path.includes("/") ? (path.split("/")[0] ?? "") : path };
		}),
	);
}

it("finds imports in every folder", () => {
	expect(imports().length).toBeGreaterThan(500);
	expect(new Set(imports().map(({ from }) => from))).toEqual(new Set(Object.keys(ALLOWED)));
});

it("finds only allowed imports in each folder", () => {
	const wrong = imports().filter(
		({ from, to }) => to !== from && to !== "wire.ts" && to !== "testing" && !ALLOWED[from]?.includes(to),
	);
	expect(wrong).toEqual([]);
});

it("allows only tests to import test doubles", () => {
	const wrong = imports().filter(
		({ file, from, to }) => to === "testing" && from !== "testing" && !file.endsWith(".test.ts"),
	);
	expect(wrong).toEqual([]);
});
