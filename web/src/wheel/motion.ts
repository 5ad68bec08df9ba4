/**
 * Calculates the picture of the wheel at an instant from the state that the server reports. Pure functions.
 * No outcome is shown before the server has recorded it.
 */
import type { Phase, Spun, WheelInfoNow } from "../wire.ts";
import { angleOf, atRest, hasStopped, type Settle, settleAt, speedOf, stopAt, type Turning, towards } from "./glide.ts";

/** The state of the table and the wheel that determines the motion. */
export interface WheelInput {
	/** Whether a ball or the wheel itself is spun. */
	readonly spun: Spun;
	/** The pockets in the order of the wheel, clockwise. */
	readonly order: readonly string[];
	/** The state that the wheel has reported, or null without a connected wheel. */
	readonly reported: WheelInfoNow | null;
	readonly phase: Phase;
	readonly outcome: string | null;
	/** The previous outcome, if it is known. The ball is still in that pocket. */
	readonly last?: string | null;
	/** The usual time in seconds from the wheel's *no more bets* to its number, if it is known from earlier spins. */
	readonly slowSeconds?: number | null;
}

/** The motion of the ball. `place` is an index of the wheel's order. `before` is the place from which the ball was taken. */
type Ball =
	| { readonly kind: "none" }
	| {
			readonly kind: "rim";
			readonly since: number;
			readonly before: number | null;
			readonly turning: Turning;
			/** When the ball leaves the rim and how it turns then, if that is known. It hops, and names no pocket. */
			readonly falls: { readonly at: number; readonly turning: Turning } | null;
	  }
	| { readonly kind: "caught"; readonly place: number; readonly relative: Settle; readonly out: number }
	| { readonly kind: "resting"; readonly since: number; readonly before: number | null; readonly place: number }
	| { readonly kind: "leaving"; readonly since: number; readonly turning: Turning; readonly out: number };

export interface Motion {
	readonly spun: Spun;
	readonly order: readonly string[];
	readonly rotor: Turning;
	readonly ball: Ball;
	/** For a money wheel: the index of the segment under the clapper at rest, or null if it is no outcome. */
	readonly place: number | null;
}

export interface BallSeen {
	readonly angle: number;
	/** The distance from the pockets: 1 in the rim, 0 in a pocket. */
	readonly out: number;
	/** The height of a hop, 0 to 1. It moves the shadow. */
	readonly lift: number;
	readonly opacity: number;
	/** Turns per second, relative to the bowl. */
	readonly speed: number;
}

export interface Picture {
	readonly rotor: number;
	readonly rotorSpeed: number;
	readonly ball: BallSeen | null;
	/** The index of the outcome, once the picture shows it. */
	readonly place: number | null;
	/** Whether the picture stays the same until the next input. */
	readonly still: boolean;
}

type BallInRim = Extract<Ball, { kind: "rim" }>;
type Doing = "nothing" | "runs" | "slows" | "rests";

/** Speeds in turns per second. */
const SPEED = { idle: 0.05, driven: 0.2, launched: 2.2, runs: 0.65, slows: 0.5, hops: 0.12, pushed: 0.7, waits: 0.25 };
/** The time constant in seconds with which friction slows a ball in the rim. */
const FRICTION = 5;
/** The longest time in seconds from the told outcome until the ball rests in its pocket. */
export const CATCH_SECONDS = 0.9;
/** The time in seconds before the expected number at which the ball leaves the rim. */
const FALLS_BEFORE = 2;
/** The stops of a money wheel with a result, and of one without. */
const CLAPPED = { seconds: 3.4, minPower: 1.4, maxPower: 3.4 };
const COASTING = { seconds: 1.6, minPower: 1.4, maxPower: 3.4 };
/** The time in seconds in which the ball fades in or out. */
const FADE = 0.28;
const IN_ROUND: readonly Phase[] = ["spinning", "spinning_bets_open", "at_rest", "registered"];

/** Derives the motion from the reported state, or from the table's phase without a reliable wheel. */
export function doing({ reported, phase, outcome, order }: WheelInput): Doing {
	if (outcome !== null && order.includes(outcome)) return "rests";
	const spins = phase === "spinning" || phase === "spinning_bets_open";
	if (!reported?.reliable || reported.state === "unknown") return spins ? "runs" : "nothing";
	if (reported.state === "ball_in_rim") return "runs";
	if (reported.state === "no_more_bets") return "slows";
	if (reported.state === "winning_number" && IN_ROUND.includes(phase)) return "slows";
	// A wheel reports the ball only after its first revolution.
	return spins && reported.state !== "closed" ? "runs" : "nothing";
}

/** Starts with the current state. Earlier motion is not replayed. */
export function begin(input: WheelInput, at: number): Motion {
	const now = doing(input);
	const known = now === "rests" ? input.outcome : now === "nothing" ? (input.last ?? null) : null;
	const place = known === null ? -1 : input.order.indexOf(known);
	const found = place < 0 ? null : place;
	const clapper = input.spun === "wheel";
	const ball: Ball =
		clapper || found === null ? { kind: "none" } : { kind: "resting", since: at - 1, before: null, place: found };
	const rotor = atRest(clapper && found !== null ? -found / input.order.length : 0, at);
	return update({ spun: input.spun, order: input.order, rotor, ball, place: clapper ? found : null }, input, at);
}

/** Continues the motion with new input. Repeated input changes nothing. */
export function update(motion: Motion, input: WheelInput, at: number): Motion {
	return input.spun === "wheel" ? updateMoneyWheel(motion, input, at) : updateBall(motion, input, at);
}

function updateBall(motion: Motion, input: WheelInput, at: number): Motion {
	const rotor = towards(motion.rotor, rotorTarget(input), 1.2, at);
	const next = { ...motion, rotor };
	const { ball } = motion;
	const now = doing(input);
	if (now === "rests") return { ...next, ball: landed(next, input.order.indexOf(input.outcome ?? ""), at) };
	if (now === "nothing") {
		if (ball.kind !== "rim") return next;
		// During a round the ball keeps running until there is an outcome. After a round without one it disappears.
		if (IN_ROUND.includes(input.phase)) return { ...next, ball: slowed(ball, next, input, at) };
		return { ...next, ball: { kind: "leaving", since: at, turning: turningAt(ball, at), out: fallen(ball, at).out } };
	}
	if (ball.kind === "rim") return now === "slows" ? { ...next, ball: slowed(ball, next, input, at) } : next;
	const against = -Math.sign(rotorTarget(input) || 1);
	const from = ball.kind === "none" || ball.kind === "leaving" ? null : ball.place;
	const launch = atRest(angleOf(rotor, at) + 0.1 * against, at);
	const speed = against * (now === "slows" ? SPEED.runs : SPEED.launched);
	const turning = towards({ ...launch, speed }, against * SPEED.runs, FRICTION, at);
	const launched: BallInRim = { kind: "rim", since: at, before: from, turning, falls: null };
	return { ...next, ball: now === "slows" ? slowed(launched, next, input, at) : launched };
}

/** Slows the ball down, and plans its fall if the time of the number can be expected. Does so once for each spin. */
function slowed(ball: BallInRim, { rotor }: Motion, { slowSeconds }: WheelInput, at: number): BallInRim {
	const against = Math.sign(speedOf(ball.turning, at));
	if (ball.falls !== null || (ball.turning.kind === "glide" && ball.turning.target === against * SPEED.slows))
		return ball;
	const turning = towards(ball.turning, against * SPEED.slows, FRICTION, at);
	if (slowSeconds === null || slowSeconds === undefined) return { ...ball, turning };
	const falls = at + Math.max(0, slowSeconds - FALLS_BEFORE);
	// In the pocket ring the ball is carried along by the rotor and hops against it.
	const carried = speedOf(rotor, at) + against * SPEED.hops;
	return { ...ball, turning, falls: { at: falls, turning: towards(turning, carried, 0.5, falls) } };
}

/** Catches the ball in its pocket, from wherever it is. If there was no ball in sight, it fades in there. */
function landed({ rotor, ball, order }: Motion, place: number, at: number): Ball {
	if ((ball.kind === "caught" || ball.kind === "resting") && ball.place === place) return ball;
	if (ball.kind !== "rim") {
		const before = ball.kind === "caught" || ball.kind === "resting" ? ball.place : null;
		return { kind: "resting", since: at, before, place };
	}
	const turning = turningAt(ball, at);
	const angle = angleOf(turning, at) - angleOf(rotor, at);
	const speed = speedOf(turning, at) - speedOf(rotor, at);
	const relative = settleAt(angle, speed, place / order.length, CATCH_SECONDS, at);
	return { kind: "caught", place, relative, out: fallen(ball, at).out };
}

/** How the ball turns at an instant: in the rim, or after its fall. */
function turningAt({ turning, falls }: BallInRim, at: number): Turning {
	return falls !== null && at >= falls.at ? falls.turning : turning;
}

function rotorTarget({ reported, phase }: WheelInput): number {
	if (phase === "closed" || phase === "stopped") return 0;
	if (!reported) return phase === "spinning" || phase === "spinning_bets_open" ? SPEED.driven : SPEED.idle;
	if (!reported.reliable || reported.state === "closed") return 0;
	if (reported.rotor === "") return SPEED.idle;
	return directed(reported) * (reported.rotor_decirpm / 600);
}

function directed(reported: WheelInfoNow | null): number {
	return reported?.rotor === "anticlockwise" ? -1 : 1;
}

function updateMoneyWheel(motion: Motion, input: WheelInput, at: number): Motion {
	const { rotor } = motion;
	const count = input.order.length;
	const now = doing(input);
	if (now === "rests") {
		if (motion.place !== null && input.order[motion.place] === input.outcome) return motion;
		const segments = input.order.flatMap((symbol, i) => (symbol === input.outcome ? [i] : []));
		const places = segments.map((segment) => -segment / count);
		const stop = stopAt(angleOf(rotor, at), speedOf(rotor, at), places, CLAPPED, at);
		const ends = Math.round(-(stop.angle + stop.way) * count);
		return { ...motion, rotor: stop, place: ((ends % count) + count) % count };
	}
	const sign = Math.sign(speedOf(rotor, at)) || directed(input.reported);
	if (now === "runs") {
		const reportedSpeed =
			input.reported?.reliable && input.reported.rotor !== "" ? input.reported.rotor_decirpm / 600 : 0;
		const target = directed(input.reported) * (reportedSpeed || SPEED.pushed);
		return { ...motion, rotor: towards(rotor, target, 0.5, at), place: null };
	}
	if (now === "slows" || (turns(rotor) && IN_ROUND.includes(input.phase)))
		return { ...motion, rotor: towards(rotor, sign * SPEED.waits, 2.5, at), place: null };
	if (!turns(rotor)) return motion;
	// Without a result the wheel stops on a pin, between two symbols.
	const pins = input.order.map((_, segment) => -(segment + 0.5) / count);
	return { ...motion, rotor: stopAt(angleOf(rotor, at), speedOf(rotor, at), pins, COASTING, at), place: null };
}

function turns(turning: Turning): boolean {
	return turning.kind === "glide" && turning.target !== 0;
}

/** The picture at an instant. `at` must not be before the last input. */
export function picture(motion: Motion, at: number): Picture {
	const rotor = angleOf(motion.rotor, at);
	const rotorSpeed = speedOf(motion.rotor, at);
	const rests = hasStopped(motion.rotor, at);
	if (motion.spun === "wheel") {
		return { rotor, rotorSpeed, ball: null, place: rests ? motion.place : null, still: rests };
	}
	const seen = ballSeen(motion, rotor, rotorSpeed, at);
	return { rotor, rotorSpeed, ...seen, still: seen.still && rests };
}

function ballSeen(
	motion: Motion,
	rotor: number,
	rotorSpeed: number,
	at: number,
): Pick<Picture, "ball" | "place" | "still"> {
	const { ball, order } = motion;
	const on = (place: number) => rotor + place / order.length;
	const inPocket = (place: number, opacity = 1): BallSeen => ({
		angle: on(place),
		out: 0,
		lift: 0,
		opacity,
		speed: rotorSpeed,
	});
	if (ball.kind === "none") return { ball: null, place: null, still: true };
	if (ball.kind === "leaving") {
		const opacity = 1 - (at - ball.since) / (2 * FADE);
		const seen = { ...turningSeen(ball.turning, at), out: ball.out, lift: 0, opacity };
		return { ball: opacity > 0 ? seen : null, place: null, still: opacity <= 0 };
	}
	if (ball.kind === "caught") {
		const u = Math.min(1, (at - ball.relative.at) / ball.relative.seconds);
		if (u >= 1) return { ball: inPocket(ball.place), place: ball.place, still: true };
		const angle = rotor + angleOf(ball.relative, at);
		const speed = rotorSpeed + speedOf(ball.relative, at);
		return { ball: { angle, ...lastHop(u, ball.out), opacity: 1, speed }, place: null, still: false };
	}
	// The ball fades out at the old place and then in at the new one.
	const passed = at - ball.since;
	if (ball.before !== null && passed < FADE) {
		return { ball: inPocket(ball.before, 1 - passed / FADE), place: null, still: false };
	}
	const opacity = Math.min(1, ball.before === null ? passed / FADE : passed / FADE - 1);
	if (ball.kind === "rim") {
		const seen = { ...turningSeen(turningAt(ball, at), at), ...fallen(ball, at), opacity };
		return { ball: seen, place: null, still: false };
	}
	return { ball: inPocket(ball.place, opacity), place: opacity < 1 ? null : ball.place, still: opacity >= 1 };
}

function turningSeen(turning: Turning, at: number): Pick<BallSeen, "angle" | "speed"> {
	return { angle: angleOf(turning, at), speed: speedOf(turning, at) };
}

/** The time in seconds of the fall from the rim, and of each hop in the pocket ring. */
const DROP = 0.6;
const HOP = 0.36;

/** The place of a ball that runs in the rim, falls, or hops from pocket to pocket until it is caught. */
function fallen({ falls }: BallInRim, at: number): { out: number; lift: number } {
	const passed = falls === null ? 0 : at - falls.at;
	if (passed <= 0) return { out: 1, lift: 0 };
	if (passed < DROP) return { out: 1 - (passed / DROP) ** 2, lift: 0 };
	const hops = (passed - DROP) / HOP;
	const s = hops % 1;
	const hop = 4 * s * (1 - s) * (0.06 + 0.3 * Math.exp(-Math.floor(hops) / 2.5));
	return { out: hop, lift: hop };
}

/** The last hop, from the distance `out` into the pocket. `u` is the part of its time that has passed. */
function lastHop(u: number, out: number): { out: number; lift: number } {
	const down = 0.3 + 0.25 * out;
	if (u < down) return { out: out * (1 - (u / down) ** 2), lift: 0 };
	const s = (u - down) / (1 - down);
	const hop = 4 * s * (1 - s) * (1 - s) * 0.16;
	return { out: hop, lift: hop };
}

/** The current state as a still picture, for people who prefer reduced motion. */
export function stillPicture(input: WheelInput): Picture {
	const motion = begin({ ...input, reported: input.reported && { ...input.reported, rotor_decirpm: 0 } }, 0);
	const place = motion.spun === "wheel" ? motion.place : motion.ball.kind === "resting" ? motion.ball.place : null;
	const rotor = motion.spun === "wheel" && place !== null ? -place / input.order.length : 0;
	const seen = { lift: 0, opacity: 1, speed: 0 };
	const ball: BallSeen | null =
		motion.ball.kind === "resting"
			? { angle: motion.ball.place / input.order.length, out: 0, ...seen }
			: motion.ball.kind === "rim"
				? { angle: 0, out: 1, ...seen }
				: null;
	return { rotor, rotorSpeed: 0, ball, place, still: true };
}

/**
 * How far a pin bends the clapper, from -1 to 1. The sign is the direction of rotation.
 * The pin pushes the tip along until the tip springs back.
 */
export function clapperBend(rotor: number, speed: number, segments: number): number {
	const past = (((rotor * segments + 0.5) % 1) + 1) % 1;
	const across = speed < 0 ? 1 - past : past;
	const bend = across < 0.34 ? across / 0.34 : Math.max(0, 1 - (across - 0.34) / 0.1);
	return speed < 0 ? -bend : bend;
}
