/**
 * Loads games, layouts, odds and packages over HTTP and caches them by rulebook hash.
 * A past round is drawn with the rulebook it was played by, which may not be the current one.
 */
import type {
	GameInfo,
	LayoutInfo,
	OddsInfo,
	OddsOfAll,
	PackageInfo,
	Packages,
	PositionInfo,
	TerminalInfo,
} from "../wire.ts";
import type { Api } from "./api.ts";

export class GameData {
	readonly #cache = new Map<string, Promise<unknown>>();

	constructor(readonly api: Api) {}

	game(rulebook: string): Promise<GameInfo> {
		return this.#get(gamePath(rulebook));
	}

	layout(rulebook: string, layout: string): Promise<LayoutInfo> {
		return this.#get(layoutPath(rulebook, layout));
	}

	async odds(rulebook: string, layout: string): Promise<OddsInfo[]> {
		return (await this.#get<OddsOfAll>(`${layoutPath(rulebook, layout)}/odds`)).odds;
	}

	async packages(rulebook: string, terminal: string): Promise<PackageInfo[]> {
		const path = `${gamePath(rulebook)}/terminals/${encodeURIComponent(terminal)}/packages`;
		return (await this.#get<Packages>(path)).packages;
	}

	/** Failed requests are not cached, so the next call sends them again. */
	#get<T>(path: string): Promise<T> {
		const cached = this.#cache.get(path);
		if (cached) return cached as Promise<T>;
		const loading = this.api.get<T>(path);
		this.#cache.set(path, loading);
		loading.catch(() => this.#cache.delete(path));
		return loading;
	}
}

function gamePath(rulebook: string): string {
	return `/api/games/${encodeURIComponent(rulebook)}`;
}

function layoutPath(rulebook: string, layout: string): string {
	return `${gamePath(rulebook)}/layouts/${encodeURIComponent(layout)}`;
}

/** Maps layout and position to the odds of the position. */
export type Returns = ReadonlyMap<string, ReadonlyMap<string, OddsInfo>>;

export function returnsOf(layouts: ReadonlyMap<string, readonly OddsInfo[]>): Returns {
	return new Map([...layouts].map(([layout, odds]) => [layout, byId(odds)]));
}

/** Loads the odds of all layouts of a game. */
export async function returnsOfGame(data: GameData, game: Pick<GameInfo, "hash" | "layouts">): Promise<Returns> {
	const odds = await Promise.all(game.layouts.map((id) => data.odds(game.hash, id)));
	return returnsOf(new Map(game.layouts.map((id, i) => [id, odds[i] ?? []])));
}

/** A game with the data of all its layouts, for the console. */
export interface LoadedGame {
	/** The wheel, layouts, terminals, irregularities and rights of the rulebook. */
	readonly info: GameInfo;
	readonly layouts: ReadonlyMap<string, LayoutInfo>;
	readonly returns: Returns;
}

/** Loads a game. `rulebook` is the hash of the rulebook that the table plays by. */
export async function loadGame(data: GameData, rulebook: string): Promise<LoadedGame> {
	const info = await data.game(rulebook);
	const [layouts, returns] = await Promise.all([
		Promise.all(info.layouts.map((id) => data.layout(rulebook, id))),
		returnsOfGame(data, info),
	]);
	return { info, layouts: byId(layouts), returns };
}

/** The data of a game that a Player Terminal needs: its own layout, positions, odds and packages. */
export interface TerminalData {
	readonly game: GameInfo;
	readonly terminal: TerminalInfo;
	readonly layout: LayoutInfo;
	readonly positions: ReadonlyMap<string, PositionInfo>;
	/** The printed labels of the boxes, by position. */
	readonly labels: ReadonlyMap<string, string>;
	readonly odds: ReadonlyMap<string, OddsInfo>;
	readonly packages: ReadonlyMap<string, PackageInfo>;
}

/** Loads the data of a terminal. `rulebook` is the hash of a rulebook, `kind` the id of a terminal in it. */
export async function loadTerminalData(data: GameData, rulebook: string, kind: string): Promise<TerminalData> {
	const game = await data.game(rulebook);
	const terminal = game.terminals.find((one) => one.id === kind);
	if (terminal === undefined) throw new Error(`this rulebook has no terminal ${kind}`);
	const [layout, odds, packages] = await Promise.all([
		data.layout(rulebook, terminal.layout),
		data.odds(rulebook, terminal.layout),
		data.packages(rulebook, kind),
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
