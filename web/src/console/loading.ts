/** A game as the console needs it: its sheet, its layouts, and what each position returns. Asked for by the rulebook's hash. */
import type { Api } from "../lib/http.ts";
import type { GameSheet, LayoutSheet, OddsOfAll } from "../wire.ts";
import { type Returns, returnsOf } from "./exposure.ts";

export interface LoadedGame {
	readonly sheet: GameSheet;
	readonly layouts: ReadonlyMap<string, LayoutSheet>;
	readonly returns: Returns;
}

export async function loadGame(api: Api, rulebook: string): Promise<LoadedGame> {
	const game = `/api/games/${encodeURIComponent(rulebook)}`;
	const sheet = await api.get<GameSheet>(game);
	const parts = await Promise.all(
		sheet.layouts.map(async (id) => {
			const layout = `${game}/layouts/${encodeURIComponent(id)}`;
			const [drawn, odds] = await Promise.all([api.get<LayoutSheet>(layout), api.get<OddsOfAll>(`${layout}/odds`)]);
			return { id, drawn, odds: odds.odds };
		}),
	);
	return {
		sheet,
		layouts: new Map(parts.map(({ id, drawn }) => [id, drawn])),
		returns: returnsOf(new Map(parts.map(({ id, odds }) => [id, odds]))),
	};
}
