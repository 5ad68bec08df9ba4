/** Groups the limits of a layout, so that the minimum and the maximum of every kind of bet can be shown at once. */
import { lower } from "../lib/permissions.ts";
import type { PositionInfo, ResolvedBounds, ResolvedLimits } from "../wire.ts";

/** Kinds of bets and single positions with the same limits. */
export interface LimitGroup {
	readonly min: number;
	readonly max: number | null;
	readonly types: readonly string[];
	/** Positions whose limits differ from those of their type. */
	readonly positions: readonly PositionInfo[];
	/** Whether the group holds every bet of the layout. */
	readonly all: boolean;
}

/** The minimum that most groups share. A narrow screen shows it once, and then only the maximum of these groups. */
export interface SharedMinimum {
	readonly min: number;
	/** Whether all groups share it. */
	readonly all: boolean;
}

/** The minimum that most groups share, or null if no two groups share one. */
export function sharedMinimum(groups: readonly LimitGroup[]): SharedMinimum | null {
	const counts = new Map<number, number>();
	for (const { min } of groups) counts.set(min, (counts.get(min) ?? 0) + 1);
	const most = Math.max(...counts.values());
	const found = [...counts].find(([, count]) => count === most && count > 1);
	return found === undefined ? null : { min: found[0], all: counts.size === 1 };
}

/** The groups, the lowest maximum first. No kind of bet is left out. */
export function limitGroups(limits: ResolvedLimits, positions: readonly PositionInfo[]): LimitGroup[] {
	const groups = new Map<string, { bounds: ResolvedBounds; types: string[]; positions: PositionInfo[] }>();
	const groupOf = ({ min, max }: ResolvedBounds) => {
		// All bets of the seat together limit each bet, too.
		const bounds = { min, max: lower(max, limits.seat.max) };
		const key = `${bounds.min}:${bounds.max}`;
		const found = groups.get(key) ?? { bounds, types: [], positions: [] };
		groups.set(key, found);
		return found;
	};
	for (const type of new Set(positions.map((position) => position.type))) {
		const bounds = limits.types[type];
		const hasOthers = positions.some((position) => position.type === type && !(position.id in limits.positions));
		if (bounds !== undefined && hasOthers) groupOf(bounds).types.push(type);
	}
	for (const position of positions) {
		const bounds = limits.positions[position.id];
		if (bounds !== undefined) groupOf(bounds).positions.push(position);
	}
	return [...groups.values()]
		.sort((a, b) => (a.bounds.max ?? Infinity) - (b.bounds.max ?? Infinity))
		.map(({ bounds, types, positions }) => ({
			...bounds,
			types,
			positions,
			all: groups.size === 1,
		}));
}
