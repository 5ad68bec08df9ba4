/** A folder's name says what its files may import. Screens are built on the same rooms, and never on one another. */
import { expect, it } from "vitest";

const SHARED = ["lib", "felt", "wheel"];
const ROOMS: Record<string, readonly string[]> = {
	lib: [],
	felt: ["lib"],
	wheel: ["lib"],
	staff: SHARED,
	terminal: SHARED,
	display: SHARED,
	lobby: SHARED,
	console: [...SHARED, "staff"],
	pit: [...SHARED, "staff"],
	recall: [...SHARED, "staff"],
};

const FILES = import.meta.glob<string>("./*/**/*.{ts,svelte,css}", { query: "?raw", import: "default", eager: true });
const IMPORTED = /(?:\bfrom|\bimport|@import|\bimport\()\s*["'](\.{1,2}\/[^"']+)["']/g;

interface Import {
	readonly file: string;
	readonly from: string;
	/** Of what is shared by all: the types of the wire lie beside the rooms. */
	readonly to: string;
}

function imports(): Import[] {
	return Object.entries(FILES).flatMap(([file, text]) =>
		[...text.matchAll(IMPORTED)].map(([, target = ""]) => {
			const [, path = ""] = new URL(target, `file:///${file.slice(2)}`).href.split("file:///");
			return { file, from: file.split("/")[1] ?? "", to: path.includes("/") ? (path.split("/")[0] ?? "") : path };
		}),
	);
}

it("reads what there is", () => {
	expect(imports().length).toBeGreaterThan(500);
	expect(new Set(imports().map(({ from }) => from))).toEqual(new Set(Object.keys(ROOMS)));
});

it("finds nothing that reaches into a room which is not its own to use", () => {
	const wrong = imports().filter(
		({ from, to }) => to !== from && to !== "wire.ts" && !(ROOMS[from]?.includes(to) ?? false),
	);
	expect(wrong).toEqual([]);
});
