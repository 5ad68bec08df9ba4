/** The segments of a wheel with a clapper. Several segments bear the same symbol, so the symbol alone does not name the place. */
import type { WheelInfo } from "../wire.ts";

type Rim = Pick<WheelInfo, "order">;

/** Whether a reading of this wheel has a segment. A ball rests in a pocket, and each pocket occurs once. */
export function hasSegments(wheel: Pick<WheelInfo, "spun">): boolean {
	return wheel.spun === "wheel";
}

/** The segments with a symbol, clockwise. Without a symbol: all segments. */
export function segmentsOf({ order }: Rim, symbol: string | null): number[] {
	return order.flatMap((one, segment) => (symbol === null || one === symbol ? [segment] : []));
}

/** A segment with `count` neighbours on each side, from left to right as they stand at the clapper. */
export function segmentsAround({ order }: Rim, segment: number, count: number): number[] {
	return Array.from({ length: 2 * count + 1 }, (_, i) => (segment - count + i + order.length) % order.length);
}

/** The segment with the symbol that is nearest to a place on the rim. Without a symbol: the nearest segment. */
export function nearestSegment(wheel: Rim, symbol: string | null, place: number): number {
	const count = wheel.order.length;
	const distance = (segment: number) => {
		const apart = (((segment - place) % count) + count) % count;
		return Math.min(apart, count - apart);
	};
	return segmentsOf(wheel, symbol).reduce((best, one) => (distance(one) < distance(best) ? one : best));
}

/** The next segment with the symbol, `steps` to the right (clockwise) or, if negative, to the left. */
export function stepSegment(wheel: Rim, symbol: string | null, from: number | null, steps: number): number {
	const all = segmentsOf(wheel, symbol);
	const at = from === null ? -1 : all.indexOf(from);
	const next = at < 0 ? (steps > 0 ? 0 : all.length - 1) : (at + steps + all.length) % all.length;
	return all[next] as number;
}
