/** For tests: the sheets of all games as the server makes them, so that no copy of a layout lies about. Never part of a screen. */
// @ts-expect-error: the screens run in browsers and have no types of Node; only tests come here.
import { execFileSync } from "node:child_process";
// @ts-expect-error: as above.
import { existsSync } from "node:fs";
import type { LayoutSheet, PackageSheet, TerminalSheet, WheelSheet } from "../wire.ts";

const PRINT = `
import msgspec
from roundhouse.rulebooks import games
from roundhouse.server.sheets import packages_of, sheet_of
from roundhouse.server.touch import layout_of
print(msgspec.json.encode([{
    "sheet": sheet_of(game),
    "layouts": [layout_of(game, id) for id in game.layouts],
    "packages": [packages_of(terminal) for terminal in game.terminals.values()],
} for game in games()]).decode())
`;

interface Printed {
	sheet: { id: string; wheel: WheelSheet; terminals: TerminalSheet[] };
	layouts: LayoutSheet[];
	packages: { terminal: string; layout: string; packages: PackageSheet[] }[];
}

let printed: Printed[] | undefined;

function all(): Printed[] {
	const environment = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process.env;
	const own = "../.venv/bin/python";
	const python = environment.ROUNDHOUSE_PYTHON ?? (existsSync(own) ? own : "python3");
	const env = { ...environment, PYTHONPATH: "../src" };
	printed ??= JSON.parse(
		execFileSync(python, ["-c", PRINT], { env, encoding: "utf8", maxBuffer: 1 << 26 }),
	) as Printed[];
	return printed;
}

export function layouts(): { name: string; layout: LayoutSheet }[] {
	return all().flatMap(({ sheet, layouts }) =>
		layouts.map((layout) => ({ name: `${sheet.id}--${layout.id}`, layout })),
	);
}

export function terminals(): {
	name: string;
	wheel: WheelSheet;
	terminal: TerminalSheet;
	layout: LayoutSheet;
	packages: PackageSheet[];
}[] {
	return all().flatMap(({ sheet, layouts, packages }) =>
		sheet.terminals.flatMap((terminal) => {
			const layout = layouts.find((one) => one.id === terminal.layout);
			const offered = packages.find((one) => one.terminal === terminal.id)?.packages ?? [];
			return layout
				? [{ name: `${sheet.id}--${terminal.id}`, wheel: sheet.wheel, terminal, layout, packages: offered }]
				: [];
		}),
	);
}
