/** The layouts and packages of all games for tests. The server's Python code generates them. */
// @ts-expect-error: the project has no Node types because the screens run in browsers. Only tests import this file.
import { execFileSync } from "node:child_process";
// @ts-expect-error: as above.
import { existsSync } from "node:fs";
import type { LayoutInfo, PackageInfo, TerminalInfo, WheelInfo } from "../wire.ts";

const PRINT = `
import msgspec
from roundhouse.rulebooks import games
from roundhouse.server.game_sheets import layout_of, packages_of, info_of
print(msgspec.json.encode([{
    "sheet": info_of(game),
    "layouts": [layout_of(game, id) for id in game.layouts],
    "packages": [packages_of(terminal) for terminal in game.terminals.values()],
} for game in games()]).decode())
`;

interface Printed {
	sheet: { id: string; wheel: WheelInfo; terminals: TerminalInfo[] };
	layouts: LayoutInfo[];
	packages: { terminal: string; layout: string; packages: PackageInfo[] }[];
}

let printed: Printed[] | undefined;

function all(): Printed[] {
	const environment = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process.env;
	const local = "../.venv/bin/python";
	const python = environment.ROUNDHOUSE_PYTHON ?? (existsSync(local) ? local : "python3");
	const env = { ...environment, PYTHONPATH: "../src" };
	printed ??= JSON.parse(
		execFileSync(python, ["-c", PRINT], { env, encoding: "utf8", maxBuffer: 1 << 26 }),
	) as Printed[];
	return printed;
}

export function layouts(): { name: string; layout: LayoutInfo }[] {
	return all().flatMap(({ sheet, layouts }) =>
		layouts.map((layout) => ({ name: `${sheet.id}--${layout.id}`, layout })),
	);
}

export function terminals(): {
	name: string;
	wheel: WheelInfo;
	terminal: TerminalInfo;
	layout: LayoutInfo;
	packages: PackageInfo[];
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
