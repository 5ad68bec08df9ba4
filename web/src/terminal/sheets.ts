/** The game of this seat as the house describes it: wheel, layout, prices, series, odds, clauses. Fetched, never made up. */
import type { Api } from "../lib/http.ts";
import { Sheets as Library } from "../lib/sheets.ts";
import type { GameInfo, LayoutInfo, OddsInfo, PackageInfo, PositionInfo, TerminalInfo } from "../wire.ts";

export interface Sheets {
	readonly game: GameInfo;
	readonly terminal: TerminalInfo;
	readonly layout: LayoutInfo;
	readonly positions: ReadonlyMap<string, PositionInfo>;
	readonly labels: ReadonlyMap<string, string>;
	readonly odds: ReadonlyMap<string, OddsInfo>;
	readonly packages: ReadonlyMap<string, PackageInfo>;
}

/** `rulebook` is the hash of the very rulebook that the table plays by. */
export async function sheetsOf(api: Api, rulebook: string, kind: string): Promise<Sheets> {
	const library = new Library(api);
	const game = await library.game(rulebook);
	const terminal = game.terminals.find((one) => one.id === kind);
	if (terminal === undefined) throw new Error(`this rulebook has no terminal ${kind}`);
	const [layout, odds, packages] = await Promise.all([
		library.layout(rulebook, terminal.layout),
		library.odds(rulebook, terminal.layout),
		library.packages(rulebook, kind),
	]);
	return {
		game,
		terminal,
		layout,
		positions: byId(layout.positions),
		labels: new Map(layout.boxes.map((box) => [box.position, box.label])),
		odds: byId(odds),
		packages: byId(packages),
	};
}

function byId<T extends { id: string }>(all: readonly T[]): ReadonlyMap<string, T> {
	return new Map(all.map((one) => [one.id, one]));
}
