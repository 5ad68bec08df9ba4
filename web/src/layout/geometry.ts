/**
 * The geometry of the layout: the sheet's rectangles, upright or turned, and the position at a point.
 * The sheet decides which positions exist and where; nothing here adds or moves one.
 */
import type { Area, LayoutInfo, PositionInfo, Spot } from "../wire.ts";

/** How a sheet is laid on the screen. `turned` is a quarter turn clockwise: what ran to the right runs downwards. */
export interface View {
	turned: boolean;
	width: number;
	height: number;
	spot(on: Spot): Spot;
	area(on: Area): Area;
	/** From the screen's plane back to the sheet's. */
	back(on: Spot): Spot;
}

const PLAIN: Spot = { x: 1, y: 1 };

export function viewOf(sheet: Area, turned: boolean, drawn: Spot = PLAIN): View {
	const [wide, high] = [sheet.x1 - sheet.x0, sheet.y1 - sheet.y0];
	const spot = ({ x, y }: Spot): Spot =>
		turned
			? { x: (sheet.y1 - y) * drawn.x, y: (x - sheet.x0) * drawn.y }
			: { x: (x - sheet.x0) * drawn.x, y: (y - sheet.y0) * drawn.y };
	const back = ({ x, y }: Spot): Spot =>
		turned
			? { x: y / drawn.y + sheet.x0, y: sheet.y1 - x / drawn.x }
			: { x: x / drawn.x + sheet.x0, y: y / drawn.y + sheet.y0 };
	return {
		turned,
		width: (turned ? high : wide) * drawn.x,
		height: (turned ? wide : high) * drawn.y,
		spot,
		area: (on) => spanned(on, spot),
		back,
	};
}

function spanned(on: Area, spot: (on: Spot) => Spot): Area {
	const [a, b] = [spot({ x: on.x0, y: on.y0 }), spot({ x: on.x1, y: on.y1 })];
	return { x0: Math.min(a.x, b.x), y0: Math.min(a.y, b.y), x1: Math.max(a.x, b.x), y1: Math.max(a.y, b.y) };
}

/** Further than this, a layout no longer looks like the table it is of. */
const DRAWN_OUT = 1.3;

/** How far the sheet may be drawn out one way to use the room: wider fields are easier to touch. Letters and chips keep their shape. */
export function drawnOut(sheet: Area, turned: boolean, width: number, height: number, margin: number): Spot {
	if (width <= 0 || height <= 0) return PLAIN;
	const plain = viewOf(sheet, turned);
	const [wide, high] = [plain.width + 2 * margin, plain.height + 2 * margin];
	const scale = Math.min(width / wide, height / high);
	const limited = (room: number, length: number) =>
		Math.max(1, Math.min(DRAWN_OUT, (room / scale - 2 * margin) / length));
	return { x: limited(width, plain.width), y: limited(height, plain.height) };
}

/** A wide layout stands upright in a tall container; a layout that is tall already stays as it is. */
export function turns(sheet: Area, width: number, height: number): boolean {
	return sheet.x1 - sheet.x0 > sheet.y1 - sheet.y0 && height > width && width > 0;
}

export function middle(area: Area): Spot {
	return { x: (area.x0 + area.x1) / 2, y: (area.y0 + area.y1) / 2 };
}

function inside(area: Area, { x, y }: Spot): boolean {
	return area.x0 <= x && x < area.x1 && area.y0 <= y && y < area.y1;
}

/** The topmost position at a point of the sheet. Later positions lie above earlier ones. */
export function hitAt(positions: readonly PositionInfo[], point: Spot): PositionInfo | null {
	return positions.findLast((position) => inside(position.hit, point)) ?? null;
}

const [LEAST, MOST] = [6.2, 12.5];

/** As large as chips can be without hiding the chips beside them; a little overlap is how real stacks stand. */
export function radii(layout: LayoutInfo, view: View): Map<string, number> {
	const positions = layout.positions.map((one) => ({ ...one, at: view.spot(one.at) }));
	const signs = new Map(layout.boxes.map((box) => [box.position, view.area(box.area)]));
	return new Map(
		positions.map((one) => {
			const nearest = positions.reduce(
				(least, other) => (other === one ? least : Math.min(least, apart(one.at, other.at))),
				Number.POSITIVE_INFINITY,
			);
			const sign = one.covers.length === 1 ? signs.get(one.id) : undefined;
			const most = sign !== undefined && !hasSides(sign) ? (sign.y1 - sign.y0) * 0.19 : MOST;
			return [one.id, Math.min(most, Math.max(LEAST, nearest * 0.54))];
		}),
	);
}

/** Whether a sign is wide enough for its name and its price to stand at either side of its chips, and not above and below. */
export function hasSides(area: Area): boolean {
	return area.x1 - area.x0 >= 160;
}

function apart(a: Spot, b: Spot): number {
	return Math.hypot(a.x - b.x, a.y - b.y);
}

/** The field of each pocket: its cell, or else the box that covers this pocket alone. */
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

/** The next position that way, as the eye would pick it: what lies straight ahead before what lies aside. */
export function nextOver(
	positions: readonly PositionInfo[],
	from: PositionInfo,
	way: Way,
	view: View,
): PositionInfo | null {
	const step = STEPS[way];
	const start = view.spot(from.at);
	let [best, least]: [PositionInfo | null, number] = [null, Number.POSITIVE_INFINITY];
	for (const one of positions) {
		const at = view.spot(one.at);
		const ahead = (at.x - start.x) * step.x + (at.y - start.y) * step.y;
		if (ahead <= 0) continue;
		const area = view.area(one.hit);
		const [lies, low, high, aims] =
			step.x === 0 ? [start.x, area.x0, area.x1, at.x] : [start.y, area.y0, area.y1, at.y];
		const aside = Math.max(0, low - lies, lies - high);
		const cost = ahead + 3 * aside + 0.3 * Math.abs(aims - lies);
		if (cost < least) [best, least] = [one, cost];
	}
	return best;
}
