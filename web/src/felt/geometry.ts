/**
 * Where things lie on the felt: the sheet's own rectangles, as they are or turned to stand upright, and which position a point hits.
 * The sheet decides what can be hit; nothing here adds or moves a position.
 */
import type { Area, LayoutSheet, PositionSheet, Spot } from "../wire.ts";

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

export function viewOf(sheet: Area, turned: boolean): View {
	const [wide, high] = [sheet.x1 - sheet.x0, sheet.y1 - sheet.y0];
	if (!turned) {
		const spot = ({ x, y }: Spot): Spot => ({ x: x - sheet.x0, y: y - sheet.y0 });
		return { turned, width: wide, height: high, spot, area: (on) => spanned(on, spot), back: back(sheet.x0, sheet.y0) };
	}
	const spot = ({ x, y }: Spot): Spot => ({ x: sheet.y1 - y, y: x - sheet.x0 });
	return {
		turned,
		width: high,
		height: wide,
		spot,
		area: (on) => spanned(on, spot),
		back: ({ x, y }) => ({ x: y + sheet.x0, y: sheet.y1 - x }),
	};
}

function back(x0: number, y0: number): (on: Spot) => Spot {
	return ({ x, y }) => ({ x: x + x0, y: y + y0 });
}

function spanned(on: Area, spot: (on: Spot) => Spot): Area {
	const [a, b] = [spot({ x: on.x0, y: on.y0 }), spot({ x: on.x1, y: on.y1 })];
	return { x0: Math.min(a.x, b.x), y0: Math.min(a.y, b.y), x1: Math.max(a.x, b.x), y1: Math.max(a.y, b.y) };
}

/** A wide layout stands upright in a tall container; a layout that is tall already stays as it is. */
export function turns(sheet: Area, width: number, height: number): boolean {
	return sheet.x1 - sheet.x0 > sheet.y1 - sheet.y0 && height > width && width > 0;
}

export function middle(area: Area): Spot {
	return { x: (area.x0 + area.x1) / 2, y: (area.y0 + area.y1) / 2 };
}

export function inside(area: Area, { x, y }: Spot): boolean {
	return area.x0 <= x && x < area.x1 && area.y0 <= y && y < area.y1;
}

/** What lies uppermost at a point of the sheet: later positions lie above earlier ones. */
export function hitAt(positions: readonly PositionSheet[], point: Spot): PositionSheet | null {
	return positions.findLast((position) => inside(position.hit, point)) ?? null;
}

const [LEAST, MOST] = [6.2, 12.5];

/** As large as chips can be without hiding the chips beside them; a little overlap is how real stacks stand. */
export function radii(layout: LayoutSheet): Map<string, number> {
	const { positions } = layout;
	const signs = new Map(layout.boxes.map((box) => [box.position, box.area]));
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

/** What a pocket is drawn as: its cell, or where there is none, the box that stands for this pocket alone. */
export function fieldsOf(layout: LayoutSheet): Map<string, Area> {
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
	positions: readonly PositionSheet[],
	from: PositionSheet,
	way: Way,
	view: View,
): PositionSheet | null {
	const step = STEPS[way];
	const start = view.spot(from.at);
	let [best, least]: [PositionSheet | null, number] = [null, Number.POSITIVE_INFINITY];
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
