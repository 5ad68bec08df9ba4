/** What follows from a rulebook, asked for once: games, layouts, odds, packages. Named by the rulebook's hash, so that the past is drawn by its own rules. */
import type { GameInfo, LayoutInfo, OddsInfo, OddsOfAll, PackageInfo, Packages } from "../wire.ts";
import type { Api } from "./http.ts";

export class Sheets {
	readonly #kept = new Map<string, Promise<unknown>>();

	constructor(readonly api: Api) {}

	game(rulebook: string): Promise<GameInfo> {
		return this.#once(gameAt(rulebook));
	}

	layout(rulebook: string, layout: string): Promise<LayoutInfo> {
		return this.#once(layoutAt(rulebook, layout));
	}

	async odds(rulebook: string, layout: string): Promise<OddsInfo[]> {
		return (await this.#once<OddsOfAll>(`${layoutAt(rulebook, layout)}/odds`)).odds;
	}

	async packages(rulebook: string, terminal: string): Promise<PackageInfo[]> {
		const path = `${gameAt(rulebook)}/terminals/${encodeURIComponent(terminal)}/packages`;
		return (await this.#once<Packages>(path)).packages;
	}

	/** What failed is asked for again by whoever asks next. */
	#once<T>(path: string): Promise<T> {
		const known = this.#kept.get(path);
		if (known) return known as Promise<T>;
		const asked = this.api.get<T>(path);
		this.#kept.set(path, asked);
		asked.catch(() => this.#kept.delete(path));
		return asked;
	}
}

function gameAt(rulebook: string): string {
	return `/api/games/${encodeURIComponent(rulebook)}`;
}

function layoutAt(rulebook: string, layout: string): string {
	return `${gameAt(rulebook)}/layouts/${encodeURIComponent(layout)}`;
}
