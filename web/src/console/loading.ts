/** A game as the console needs it: its sheet, its layouts, and what each position returns. */
import type { Sheets } from "../lib/sheets.ts";
import { type Returns, returnsOfGame } from "../staff/exposure.ts";
import type { GameInfo, LayoutInfo } from "../wire.ts";

export interface LoadedGame {
	readonly sheet: GameInfo;
	readonly layouts: ReadonlyMap<string, LayoutInfo>;
	readonly returns: Returns;
}

/** `rulebook` is the hash of the very rulebook that the table plays by. */
export async function loadGame(sheets: Sheets, rulebook: string): Promise<LoadedGame> {
	const sheet = await sheets.game(rulebook);
	const [layouts, returns] = await Promise.all([
		Promise.all(sheet.layouts.map((id) => sheets.layout(rulebook, id))),
		returnsOfGame(sheets, sheet),
	]);
	return { sheet, layouts: new Map(layouts.map((layout) => [layout.id, layout])), returns };
}
