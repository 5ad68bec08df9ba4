/**
 * The geometry of the racetrack: an oval in the order of the wheel, with the series inside.
 * The server defines the packages and their pieces.
 */
import type { LayoutInfo, PackageInfo, Spot } from "../wire.ts";

export interface Segment {
	path: string;
	/** The centre of the segment. */
	at: Spot;
	/** The middle of the inner edge, where a chip hides no number. */
	edge: Spot;
	/** The outward direction in degrees: 0 is right, 90 is down. */
	angle: number;
	/** The width of the segment near its inner edge. It is smaller in the bends, where a segment narrows inwards. */
	along: number;
}

export interface Track {
	segments: Segment[];
	/** The outline of the inner field, which contains the series. */
	inner: string;
	outer: string;
	/** The width of the lane. */
	depth: number;
	/** The length of one pocket along the middle of the lane. */
	step: number;
	/** The length of a round end of the inner field, as a fraction of half the length of the field. */
	round: number;
	/** The rectangle of a part of the inner field. `from` and `to` are −1 at the end opposite the first pocket and 1 at its end. */
	band(from: number, to: number): { x: number; y: number; width: number; height: number };
}

const GAP = 3;
/** The maximum ratio of length to width. A longer oval would only be empty in the middle. */
const MAX_RATIO = 3.4;

/**
 * Creates the largest oval that fits into an area, upright if the area is tall.
 * The first pocket is in the middle of the right end, or at the top. The order is clockwise.
 */
export function trackOf(width: number, height: number, count: number): Track {
	const tall = height > width;
	const [space, short] = tall ? [height, width] : [width, height];
	const long = Math.min(space, short * MAX_RATIO);
	const radius = short / 2 - 1;
	const straight = Math.max(0, long - short);
	const depth = Math.max(26, Math.min(64, short * 0.27));
	const lane = radius - depth / 2;
	const around = 2 * straight + 2 * Math.PI * lane;
	const step = around / count;
	const placed = ({ x, y }: Spot): Spot =>
		tall ? { x: width / 2 + y, y: height / 2 - x } : { x: width / 2 + x, y: height / 2 + y };
	const point = (along: number, out: number): Spot => placed(onOval(mod(along, around), out, straight, lane));
	const ring = (out: number): string =>
		closed(Array.from({ length: 180 }, (_, index) => point((index * around) / 180, out)));
	const half = long / 2 - depth - GAP;
	const side = short / 2 - depth - GAP;
	return {
		segments: Array.from({ length: count }, (_, index) => {
			const edges = Array.from({ length: 9 }, (_, part) => (index - 0.5 + part / 8) * step);
			const inwards = [...edges].reverse();
			return {
				path: closed([...edges.map((t) => point(t, depth / 2)), ...inwards.map((t) => point(t, -depth / 2))]),
				at: point(index * step, 0),
				edge: point(index * step, -depth / 2),
				along: between(point((index - 0.5) * step, -depth * 0.4), point((index + 0.5) * step, -depth * 0.4)),
				angle: leaning(point(index * step, -1), point(index * step, 1)),
			};
		}),
		inner: ring(-depth / 2 - GAP),
		outer: ring(depth / 2),
		depth,
		step,
		round: side / half,
		band(from, to) {
			const [a, b] = [placed({ x: from * half, y: -side }), placed({ x: to * half, y: side })];
			return { x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) };
		},
	};
}

/** The point at the length `along` of the lane, at the distance `out` from its middle. */
function onOval(along: number, out: number, straight: number, lane: number): Spot {
	const quarter = (Math.PI / 2) * lane;
	const [half, radius] = [straight / 2, lane + out];
	if (along < quarter) return turned(half, along / lane, radius);
	if (along < quarter + straight) return { x: half - (along - quarter), y: radius };
	if (along < 3 * quarter + straight) return turned(-half, (along - straight) / lane, radius);
	if (along < 3 * quarter + 2 * straight) return { x: along - 3 * quarter - straight - half, y: -radius };
	return turned(half, (along - 2 * straight) / lane, radius);
}

function turned(centre: number, angle: number, radius: number): Spot {
	return { x: centre + Math.cos(angle) * radius, y: Math.sin(angle) * radius };
}

function between(a: Spot, b: Spot): number {
	return Math.hypot(a.x - b.x, a.y - b.y);
}

function leaning(inner: Spot, outer: Spot): number {
	return (Math.atan2(outer.y - inner.y, outer.x - inner.x) * 180) / Math.PI;
}

function mod(value: number, around: number): number {
	return ((value % around) + around) % around;
}

function closed(points: Spot[]): string {
	return `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}Z`;
}

export interface Offered {
	series: PackageInfo[];
	/** The key is pocket and width: `17:2`. */
	neighbours: Map<string, PackageInfo>;
	finales: PackageInfo[];
}

export function offered(packages: readonly PackageInfo[]): Offered {
	const of = (group: string) => packages.filter((one) => one.group === group);
	const neighbours = new Map(of("neighbours").map((one) => [one.id.slice(one.id.indexOf(":") + 1), one]));
	return { series: of("series"), neighbours, finales: of("finales") };
}

export function neighboursOf(offer: Offered, pocket: string, width: number): PackageInfo | undefined {
	return offer.neighbours.get(`${pocket}:${width}`);
}

/** The pockets that the pieces of a package cover. */
export function covered(one: PackageInfo, layout: LayoutInfo): Set<string> {
	const covers = new Map(layout.positions.map((position) => [position.id, position.covers]));
	return new Set(one.pieces.flatMap((piece) => covers.get(piece.position) ?? []));
}

/** The stake of the package on each position, in cents. */
export function priced(one: PackageInfo, unit: number): Record<string, number> {
	return Object.fromEntries(one.pieces.map((piece) => [piece.position, piece.pieces * unit]));
}

/** The series in their order along the oval, from the end opposite the first pocket to the end with the first pocket. */
export function alongOval(series: readonly PackageInfo[], order: readonly string[], layout: LayoutInfo): PackageInfo[] {
	const positionOf = new Map(order.map((pocket, index) => [pocket, Math.cos((2 * Math.PI * index) / order.length)]));
	const mean = (one: PackageInfo): number => {
		const pockets = [...covered(one, layout)];
		return pockets.reduce((sum, pocket) => sum + (positionOf.get(pocket) ?? 0), 0) / Math.max(1, pockets.length);
	};
	const means = new Map(series.map((one) => [one.id, mean(one)]));
	return [...series].sort((a, b) => (means.get(a.id) ?? 0) - (means.get(b.id) ?? 0));
}

/**
 * The marks on the pockets for the current bets: the cents on single numbers, and the numbers that share a bet with others.
 * Bets on boxes, such as red, are not marked.
 */
export function marks(
	bets: Record<string, number>,
	layout: LayoutInfo,
): { alone: Map<string, number>; sharing: Set<string> } {
	const boxes = new Set(layout.boxes.map((box) => box.position));
	const alone = new Map<string, number>();
	const sharing = new Set<string>();
	for (const position of layout.positions) {
		const cents = bets[position.id] ?? 0;
		if (cents <= 0 || boxes.has(position.id)) continue;
		const [pocket] = position.covers;
		if (position.covers.length === 1 && pocket !== undefined) alone.set(pocket, cents);
		else for (const one of position.covers) sharing.add(one);
	}
	return { alone, sharing };
}
