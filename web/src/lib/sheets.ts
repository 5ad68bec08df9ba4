/** What follows from a rulebook, asked for once: games, layouts, odds. Named by the rulebook's hash, so that the past is drawn by its own rules. */

import type { GameSheet, LayoutSheet, OddsOfAll, OddsSheet } from "../wire.ts";
import type { Api } from "./http.ts";

export class Sheets {
	readonly #kept = new Map<string, Promise<unknown>>();

	constructor(readonly api: Api) {}

	game(rulebook: string): Promise<GameSheet> {
		return this.#once(`/api/games/${encodeURIComponent(rulebook)}`);
	}

	layout(rulebook: string, layout: string): Promise<LayoutSheet> {
		return this.#once(`/api/games/${encodeURIComponent(rulebook)}/layouts/${encodeURIComponent(layout)}`);
	}

	async odds(rulebook: string, layout: string): Promise<OddsSheet[]> {
		const path = `/api/games/${encodeURIComponent(rulebook)}/layouts/${encodeURIComponent(layout)}/odds`;
		return (await this.#once<OddsOfAll>(path)).odds;
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
