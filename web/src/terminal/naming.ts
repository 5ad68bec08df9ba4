/** Names of bets in the Player's language. */
import type { PositionInfo } from "../wire.ts";

/** A name lists at most this many pockets. */
const MAX_LISTED = 6;

/**
 * The name of a position: its type in the Player's language with its pockets, or else its label or pay table row.
 * `type` is undefined for a type without a translated name. `label` is the text of its box on the layout.
 */
export function nameOf(position: PositionInfo, type: string | undefined, label: string | undefined): string {
	const { covers, id } = position;
	if (type === undefined) return label ?? position.row.split(" / ").at(-1) ?? id;
	if (!id.includes(":")) return type;
	if (covers.length <= MAX_LISTED) return `${type} ${covers.join(" · ")}`;
	const isRun = covers.every((pocket, index) => Number(pocket) === Number(covers[0]) + index);
	return isRun ? `${type} ${covers[0]}–${covers.at(-1)}` : `${type} ${covers[0]} · ${covers[1]} … ${covers.at(-1)}`;
}

/** The pockets that a position covers, as one text. */
export function coveredBy(position: PositionInfo): string {
	return position.covers.join(" ");
}

/** The parts of a neighbour bet's id: `neighbours:17:2` is 17 and two on each side. Null for other packages. */
export function neighboursIn(packageId: string): { pocket: string; n: string } | null {
	const [group, pocket, n] = packageId.split(":");
	return group === "neighbours" && pocket !== undefined && n !== undefined ? { pocket, n } : null;
}
