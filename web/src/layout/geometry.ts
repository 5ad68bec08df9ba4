/**
 * The geometry of the layout: maps its rectangles to the screen and finds the position at a point.
 * The server decides which positions exist and where they are.
 */
import type { Area, LayoutInfo, PositionInfo, Spot } from "../wire.ts";

/** Maps coordinates of the layout to the screen. `turned` means a quarter turn clockwise: right becomes down. */
export interface View {
	turned: boolean;
	width: number;
	height: number;
	spot(on: Spot): Spot;
	area(on: Area): Area;
	/** Maps a point of the screen back to the layout. */
	back(on: Spot): Spot;
}

const UNSTRETCHED: Spot = { x: 1, y: 1 };

/** Creates the view of a layout. `stretch` is the scale in each direction of the screen. */
export function viewOf(layout: Area, turned: boolean, stretch: Spot = UNSTRETCHED): View {
	const [wide, high] = [layout.x1 - layout.x0, layout.y1 - layout.y0];
	const spot = ({ x, y }: Spot): Spot =>
		turned
			? { x: (layout.y1 - y) * stretch.x, y: (x - layout.x0) * stretch.y }
			: { x: (x - layout.x0) * stretch.x, y: (y - layout.y0) * stretch.y };
	const back = ({ x, y }: Spot): Spot =>
		turned
			? { x: y / stretch.y + layout.x0, y: layout.y1 - x / stretch.x }
			: { x: x / stretch.x + layout.x0, y: y / stretch.y + layout.y0 };
	return {
		turned,
		width: (turned ? high : wide) * stretch.x,
		height: (turned ? wide : high) * stretch.y,
		spot,
		area: (on) => spanned(on, spot),
		back,
	};
}

function spanned(on: Area, spot: (on: Spot) => Spot): Area {
	const [a, b] = [spot({ x: on.x0, y: on.y0 }), spot({ x: on.x1, y: on.y1 })];
	return { x0: Math.min(a.x, b.x), y0: Math.min(a.y, b.y), x1: Math.max(a.x, b.x), y1: Math.max(a.y, b.y) };
}

/** Stretched further than this, a layout no longer looks like the real table. */
const MAX_STRETCH = 1.3;

/**
 * The scale by which the layout is stretched in one direction to fill its container, up to `MAX_STRETCH`.
 * Wider fields are easier to touch. Letters and chips keep their shape.
 */
export function stretchOf(layout: Area, turned: boolean, width: number, height: number, margin: number): Spot {
	if (width <= 0 || height <= 0) return UNSTRETCHED;
	const plain = viewOf(layout, turned);
	const [wide, high] = [plain.width + 2 * margin, plain.height + 2 * margin];
	const scale = Math.min(width / wide, height / high);
	const limited = (space: number, length: number) =>
		Math.max(1, Math.min(MAX_STRETCH, (space / scale - 2 * margin) / length));
	return { x: limited(width, plain.width), y: limited(height, plain.height) };
}

/** Whether to turn the layout: only a wide layout in a tall container is turned. */
export function turns(layout: Area, width: number, height: number): boolean {
	return layout.x1 - layout.x0 > layout.y1 - layout.y0 && height > width && width > 0;
}

export function middle(area: Area): Spot {
	return { x: (area.x0 + area.x1) / 2, y: (area.y0 + area.y1) / 2 };
}

function inside(area: Area, { x, y }: Spot): boolean {
	return area.x0 <= x && x < area.x1 && area.y0 <= y && y < area.y1;
}

/** The topmost position at a point of the layout. Later positions cover earlier ones. */
export function hitAt(positions: readonly PositionInfo[], point: Spot): PositionInfo | null {
	return positions.findLast((position) => inside(position.hit, point)) ?? null;
}

const [MIN_RADIUS, MAX_RADIUS] = [6.2, 12.5];

/** The radius of the chips on each position: as large as possible, with a slight overlap of neighbours as on a real table. */
export function radii(layout: LayoutInfo, view: View): Map<string, number> {
	const positions = layout.positions.map((one) => ({ ...one, at: view.spot(one.at) }));
	const signs = new Map(layout.boxes.map((box) => [box.position, view.area(box.area)]));
	return new Map(
		positions.map((one) => {
			const nearest = positions.reduce(
				(lowest, other) => (other === one ? lowest : Math.min(lowest, apart(one.at, other.at))),
				Number.POSITIVE_INFINITY,
			);
			const sign = one.covers.length === 1 ? signs.get(one.id) : undefined;
			const maxRadius = sign !== undefined && !hasSides(sign) ? (sign.y1 - sign.y0) * 0.19 : MAX_RADIUS;
			return [one.id, Math.min(maxRadius, Math.max(MIN_RADIUS, nearest * 0.54))];
		}),
	);
}

/** Whether a sign is wide enough for its name and odds beside the chips. Otherwise they are above and below the chips. */
export function hasSides(area: Area): boolean {
	return area.x1 - area.x0 >= 160;
}

function apart(a: Spot, b: Spot): number {
	return Math.hypot(a.x - b.x, a.y - b.y);
}

/** The field of each pocket: its cell, or else the box that covers only this pocket. */
export function fieldsOf(layout: LayoutInfo): Map<string, Area> {
	const alone = new Map(
		layout.positions.filter((one) => one.covers.length === 1).map((one) => [one.id, one.covers[0]]),
	);
	const fields = new Map<string, Area>();
	for (const box of layout.boxes) {
		const pocket = alone.get(box.position);
		if (pocket !== undefined) fields.set(pocket, box.area);
	}
	for (const cell of layout.cells) fields.set(cell.pocket, cell.area);
	return fields;
}

export type Way = "up" | "down" | "left" | "right";

const STEPS: Record<Way, Spot> = {
	up: { x: 0, y: -1 },
	down: { x: 0, y: 1 },
	left: { x: -1, y: 0 },
	right: { x: 1, y: 0 },
};

/** The nearest position in a direction. Positions straight ahead are preferred to positions at the side. */
export function nextOver(
	positions: readonly PositionInfo[],
	from: PositionInfo,
	way: Way,
	view: View,
): PositionInfo | null {
	const step = STEPS[way];
	const start = view.spot(from.at);
	let [best, lowest]: [PositionInfo | null, number] = [null, Number.POSITIVE_INFINITY];
	for (const one of positions) {
		const at = view.spot(one.at);
		const ahead = (at.x - start.x) * step.x + (at.y - start.y) * step.y;
		if (ahead <= 0) continue;
		const area = view.area(one.hit);
		const [axis, low, high, centre] =
			step.x === 0 ? [start.x, area.x0, area.x1, at.x] : [start.y, area.y0, area.y1, at.y];
		const aside = Math.max(0, low - axis, axis - high);
		const cost = ahead + 3 * aside + 0.3 * Math.abs(centre - axis);
		if (cost < lowest) [best, lowest] = [one, cost];
	}
	return best;
}
