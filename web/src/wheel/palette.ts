/** The paint of pockets and symbols, by the colour names of the rulebook. */
import type { WheelInfo } from "../wire.ts";

export interface Paint {
	readonly fill: string;
	/** A darker shade of `fill`, for gradients. */
	readonly deep: string;
	readonly ink: string;
}

const NAMED: Record<string, Paint> = {
	red: { fill: "#b3261e", deep: "#6d120d", ink: "#fff6ea" },
	black: { fill: "#1b1d20", deep: "#060708", ink: "#fff6ea" },
	green: { fill: "#0d7a4f", deep: "#06432b", ink: "#fff6ea" },
};

/** Colours for symbols without a colour in the rulebook, the rarest symbol first. */
const SYMBOLS: readonly Paint[] = [
	{ fill: "#d8b56a", deep: "#8f6a24", ink: "#1d1606" },
	{ fill: "#7a2440", deep: "#451023", ink: "#fff3d9" },
	{ fill: "#b3572a", deep: "#6a2c10", ink: "#fff6ea" },
	{ fill: "#2f5f86", deep: "#173650", ink: "#fff6ea" },
	{ fill: "#5a3f7d", deep: "#32204b", ink: "#fff6ea" },
	{ fill: "#1f6b52", deep: "#0d3d2d", ink: "#fff6ea" },
	{ fill: "#efe6cf", deep: "#b8a77c", ink: "#231b0d" },
];

/** The paint of a pocket: by its colour name, or by the rarity of its symbol if the name is unknown. */
export function paintOf(wheel: WheelInfo, pocket: string): Paint {
	const name = wheel.colours[pocket];
	const named = name === undefined ? undefined : NAMED[name];
	if (named) return named;
	const rank = [...wheel.pockets].sort((a, b) => (wheel.segments[a] ?? 1) - (wheel.segments[b] ?? 1)).indexOf(pocket);
	const last = SYMBOLS.length - 1;
	// The commonest symbol gets the last colour, which is the least conspicuous.
	const common = rank === wheel.pockets.length - 1 ? last : Math.max(0, rank) % last;
	return SYMBOLS[common] as Paint;
}
