/**
 * Rotation as closed formulas of time: towards a speed, or to a stop at an angle.
 * Angles are in turns, clockwise from the top; times are in seconds. Each motion starts with the angle and the speed of the
 * previous one, so that the picture never jumps.
 */

/** A rotation whose speed approaches `target` exponentially. It does not end. */
export interface Glide {
	readonly kind: "glide";
	readonly at: number;
	readonly angle: number;
	readonly speed: number;
	readonly target: number;
	/** The time constant in seconds: the time for 63 % of the difference in speed. */
	readonly slack: number;
}

/** A rotation that stops after the angle `way`. A negative `way` is anticlockwise. */
export interface Stop {
	readonly kind: "stop";
	readonly at: number;
	readonly angle: number;
	readonly way: number;
	readonly seconds: number;
	/**
	 * Exponent of the slow-down: 1 is a constant speed, 4 brakes mostly at the start.
	 * Null: the motion starts from rest, accelerates and stops gently.
	 */
	readonly power: number | null;
}

/** A rotation that comes to rest after the angle `way` in a given time, with the speed `speed` at its beginning. */
export interface Settle {
	readonly kind: "settle";
	readonly at: number;
	readonly angle: number;
	readonly way: number;
	readonly speed: number;
	readonly seconds: number;
}

export type Turning = Glide | Stop | Settle;

/** A rotation that slows down towards zero counts as stopped below this speed. */
const STOP_SPEED = 0.0005;

/** A rotor at rest at this angle. */
export function atRest(angle: number, at: number): Glide {
	return { kind: "glide", at, angle, speed: 0, target: 0, slack: 1 };
}

export function angleOf(turning: Turning, at: number): number {
	const passed = Math.max(0, at - turning.at);
	if (turning.kind === "glide") {
		const { angle, speed, target, slack } = turning;
		return angle + target * passed + (speed - target) * slack * (1 - Math.exp(-passed / slack));
	}
	const u = Math.min(1, passed / turning.seconds);
	if (turning.kind === "settle") {
		const { angle, way, speed, seconds } = turning;
		return angle + way * u * u * (3 - 2 * u) + speed * seconds * u * (1 - u) ** 2;
	}
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
	if (turning.kind === "settle") {
		return (turning.way / turning.seconds) * 6 * u * (1 - u) + turning.speed * (1 - u) * (1 - 3 * u);
	}
	const rate = turning.power === null ? 6 * u * (1 - u) : turning.power * (1 - u) ** (turning.power - 1);
	return (turning.way / turning.seconds) * rate;
}

/** Whether the rotation has stopped and will not continue. */
export function hasStopped(turning: Turning, at: number): boolean {
	if (turning.kind !== "glide") return at >= turning.at + turning.seconds;
	return turning.target === 0 && Math.abs(speedOf(turning, at)) < STOP_SPEED;
}

/** Continues from the current angle and speed towards another speed. The same target again changes nothing. */
export function towards(turning: Turning, target: number, slack: number, at: number): Turning {
	if (turning.kind === "glide" && turning.target === target && turning.slack === slack) return turning;
	if (hasStopped(turning, at) && target === 0) return turning;
	return { kind: "glide", at, angle: angleOf(turning, at), speed: speedOf(turning, at), target, slack };
}

/** The desired duration of a stop, and the range of its `power`. */
export interface StopProfile {
	readonly seconds: number;
	readonly minPower: number;
	readonly maxPower: number;
}

/**
 * Stops at one of `places`, in the direction of the motion. Of all possible ways, it takes the one whose duration is closest
 * to the desired one. A rotor at rest takes the shorter direction.
 */
export function stopAt(
	angle: number,
	speed: number,
	places: readonly number[],
	profile: StopProfile,
	at: number,
): Stop {
	const ways = places.map((place) => place - angle);
	if (Math.abs(speed) < 0.02) {
		const way = ways.map((one) => one - Math.round(one)).reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a));
		return { kind: "stop", at, angle, way, seconds: 0.4 + 1.6 * Math.sqrt(Math.abs(way)), power: null };
	}
	const sign = Math.sign(speed);
	let best: Stop | null = null;
	for (const one of ways) {
		const first = sign * one - Math.floor(sign * one);
		for (const way of [first, first + 1, first + 2]) {
			if (way === 0) continue;
			const power = Math.min(profile.maxPower, Math.max(profile.minPower, (Math.abs(speed) * profile.seconds) / way));
			const seconds = (power * way) / Math.abs(speed);
			if (!best || Math.abs(seconds - profile.seconds) < Math.abs(best.seconds - profile.seconds)) {
				best = { kind: "stop", at, angle, way: sign * way, seconds, power };
			}
		}
	}
	if (!best) throw new Error("stopAt() needs at least one place to stop at");
	return best;
}

/**
 * Comes to rest at `place` after exactly `seconds`. Of the ways there, it takes the one closest to an even slow-down, which
 * can lead back by a part of a turn.
 */
export function settleAt(angle: number, speed: number, place: number, seconds: number, at: number): Settle {
	const even = (speed * seconds) / 2;
	const way = place - angle + Math.round(even - (place - angle));
	return { kind: "settle", at, angle, way, speed, seconds };
}
