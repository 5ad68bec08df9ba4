/**
 * Turning, as closed formulas of time: towards a speed, or onto a place. Angles in turns, clockwise from the top; times in
 * seconds. Whatever follows another begins with its angle and its speed: nothing here can jump.
 */

/** Turns on for ever, and comes ever closer to `target`. */
export interface Glide {
	readonly kind: "glide";
	readonly at: number;
	readonly angle: number;
	readonly speed: number;
	readonly target: number;
	/** Seconds in which two thirds of the difference are gone. */
	readonly slack: number;
}

/** Comes to rest after `way`, which has a sign. */
export interface Arrest {
	readonly kind: "arrest";
	readonly at: number;
	readonly angle: number;
	readonly way: number;
	readonly seconds: number;
	/** How the speed dies: 1 keeps it to the end, 4 loses most of it at once. Nothing: it stood, and is moved gently. */
	readonly power: number | null;
}

export type Turning = Glide | Arrest;

/** Slower than this, and what is to stand still stands. */
const STANDS = 0.0005;

export function standing(angle: number, at: number): Glide {
	return { kind: "glide", at, angle, speed: 0, target: 0, slack: 1 };
}

export function angleOf(turning: Turning, at: number): number {
	const passed = Math.max(0, at - turning.at);
	if (turning.kind === "glide") {
		const { angle, speed, target, slack } = turning;
		return angle + target * passed + (speed - target) * slack * (1 - Math.exp(-passed / slack));
	}
	const u = Math.min(1, passed / turning.seconds);
	const share = turning.power === null ? u * u * (3 - 2 * u) : 1 - (1 - u) ** turning.power;
	return turning.angle + turning.way * share;
}

export function speedOf(turning: Turning, at: number): number {
	const passed = Math.max(0, at - turning.at);
	if (turning.kind === "glide") {
		return turning.target + (turning.speed - turning.target) * Math.exp(-passed / turning.slack);
	}
	const u = passed / turning.seconds;
	if (u >= 1) return 0;
	const rate = turning.power === null ? 6 * u * (1 - u) : turning.power * (1 - u) ** (turning.power - 1);
	return (turning.way / turning.seconds) * rate;
}

/** Whether it will not move again by itself. */
export function stands(turning: Turning, at: number): boolean {
	if (turning.kind === "arrest") return at >= turning.at + turning.seconds;
	return turning.target === 0 && Math.abs(speedOf(turning, at)) < STANDS;
}

/** Goes on from where it is and as fast as it is, towards another speed. The same target again changes nothing. */
export function towards(turning: Turning, target: number, slack: number, at: number): Turning {
	if (turning.kind === "glide" && turning.target === target && turning.slack === slack) return turning;
	if (stands(turning, at) && target === 0) return turning;
	return { kind: "glide", at, angle: angleOf(turning, at), speed: speedOf(turning, at), target, slack };
}

/** How an arrest shall be: about so long, its speed dying between these two ways. */
export interface Manner {
	readonly seconds: number;
	readonly least: number;
	readonly most: number;
}

/**
 * From this angle at this speed to the nearest fitting turn of one of `places`, on in the direction of the motion.
 * What stands already is moved the shorter way.
 */
export function arrested(angle: number, speed: number, places: readonly number[], manner: Manner, at: number): Arrest {
	const ways = places.map((place) => place - angle);
	if (Math.abs(speed) < 0.02) {
		const way = ways.map((one) => one - Math.round(one)).reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a));
		return { kind: "arrest", at, angle, way, seconds: 0.4 + 1.6 * Math.sqrt(Math.abs(way)), power: null };
	}
	const sign = Math.sign(speed);
	let best: Arrest | null = null;
	for (const one of ways) {
		const first = sign * one - Math.floor(sign * one);
		for (const way of [first, first + 1, first + 2]) {
			if (way === 0) continue;
			const power = Math.min(manner.most, Math.max(manner.least, (Math.abs(speed) * manner.seconds) / way));
			const seconds = (power * way) / Math.abs(speed);
			if (!best || Math.abs(seconds - manner.seconds) < Math.abs(best.seconds - manner.seconds)) {
				best = { kind: "arrest", at, angle, way: sign * way, seconds, power };
			}
		}
	}
	if (!best) throw new Error("there is no place to come to rest");
	return best;
}
