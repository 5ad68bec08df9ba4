/**
 * Checks that the sources of the staff screens and the terminal contain no lists of positions, phases or commands.
 * The server decides what a client may do.
 */
import { describe, expect, it } from "vitest";

const FILES = import.meta.glob<string>("./{console,pit,terminal,staff,lib}/**/*.{ts,svelte}", {
	query: "?raw",
	import: "default",
	eager: true,
});
const SOURCES = Object.entries(FILES).filter(([file]) => !file.endsWith(".test.ts") && file !== "./lib/permissions.ts");

const POSITIONS = "player|cashier|dealer|pit_supervisor|pit_manager|shift_manager|casino_manager|auditor|system";
const POSITION = new RegExp(`["'\`](?:${POSITIONS})["'\`]`);
/** Lines in which `cashier` is the name of a terminal's panel, or `dealer` a column of reports, not a position. */
const OTHER_MEANINGS = [
	/^\s*\|? ?"cashier"$/,
	/\["cashier", t\.cashier\]/,
	/onopen\("cashier"\)/,
	/panel === "cashier"/,
	/"seat", "dealer", "game", "kind"\]/,
	/asked\.get\("dealer"\)/,
	/^\s*dealer: \["dealer"\],$/,
];
/** The default reader of an outcome, which is no check of rights. */
const READ_BY = /read_by \?\? "dealer"/;

const PHASES = "closed|idle|bets_open|spinning_bets_open|bets_closed|spinning|at_rest|registered|referred|stopped";
/** Finds a list of phases: two of them, separated by a comma. A screen may have a text for each phase, but no list. */
const PHASE_LIST = new RegExp(`["'](?:${PHASES})["'],\\s*["'](?:${PHASES})["']`);
const PHASE_SET = /Set<Phase>|Phase\[\]/;

const COMMANDS = "place_bets|open_bets|close_bets|start_spin|cash_out|buy_credits|confirm_result|declare|withdraw_bets";
const COMMAND_SET = new RegExp(`new Set(?:<[^>]*>)?\\(\\[\\s*["'](?:${COMMANDS})["']`);

function linesWith(pattern: RegExp, but: readonly RegExp[] = []): string[] {
	return SOURCES.flatMap(([file, text]) =>
		text
			.split("\n")
			.filter((line) => pattern.test(line) && !but.some((one) => one.test(line)))
			.map((line) => `${file}: ${line.trim()}`),
	);
}

describe("the sources of the screens", () => {
	it("are found by this test", () => {
		expect(SOURCES.length).toBeGreaterThan(100);
	});

	it("contain no position", () => {
		expect(linesWith(POSITION, [...OTHER_MEANINGS, READ_BY])).toEqual([]);
	});

	it("contain no list of phases", () => {
		const lists = SOURCES.filter(([, text]) => PHASE_LIST.test(text)).map(([file]) => file);
		expect([...lists, ...linesWith(PHASE_SET)]).toEqual([]);
	});

	it("contain no list of allowed commands", () => {
		expect(SOURCES.filter(([, text]) => COMMAND_SET.test(text)).map(([file]) => file)).toEqual([]);
	});

	it("do not derive rights from the rulebook or from the OpenAPI document", () => {
		expect(linesWith(/openapi|authority\.ladder|authority\.declares|declared_by\.(?:some|includes)/)).toEqual([]);
	});
});
