/** What bets are called: by their kind in the Player's language, else as the layout or the pay table calls them. */
import type { PositionInfo } from "../wire.ts";

const FEW = 6;

/** `type` is the word for the bet's kind, where there is one; `label` is what stands in its box on the layout. */
export function nameOf(position: PositionInfo, type: string | undefined, label: string | undefined): string {
	const { covers, id } = position;
	if (type === undefined) return label ?? position.row.split(" / ").at(-1) ?? id;
	if (!id.includes(":")) return type;
	if (covers.length <= FEW) return `${type} ${covers.join(" · ")}`;
	const isRun = covers.every((pocket, index) => Number(pocket) === Number(covers[0]) + index);
	return isRun ? `${type} ${covers[0]}–${covers.at(-1)}` : `${type} ${covers[0]} · ${covers[1]} … ${covers.at(-1)}`;
}

/** What it covers, where its name does not say it. */
export function coveredBy(position: PositionInfo): string {
	return position.covers.join(" ");
}

/** A pocket and its neighbours, where a package is one: `neighbours:17:2` is 17 and two on each side. */
export function neighboursIn(packageId: string): { pocket: string; n: string } | null {
	const [group, pocket, n] = packageId.split(":");
	return group === "neighbours" && pocket !== undefined && n !== undefined ? { pocket, n } : null;
}
