/**
 * Calculates the picture of the wheel at an instant from the state that the server reports. Pure functions.
 * No outcome is shown before the server has recorded it.
 */
import type { Phase, Spun, WheelInfoNow } from "../wire.ts";
import { angleOf, atRest, hasStopped, type Stop, speedOf, stopAt, type Turning, towards } from "./glide.ts";

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
}

/** The motion of the ball. `place` is an index of the wheel's order. `before` is the place from which the ball was taken. */
type Ball =
	| { readonly kind: "none" }
	| { readonly kind: "rim"; readonly since: number; readonly before: number | null; readonly turning: Turning }
	| { readonly kind: "falling"; readonly place: number; readonly relative: Stop }
	| { readonly kind: "resting"; readonly since: number; readonly before: number | null; readonly place: number }
	| { readonly kind: "leaving"; readonly since: number; readonly turning: Turning };

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

type Doing = "nothing" | "runs" | "slows" | "rests";

/** Speeds in turns per second. */
const SPEED = { idle: 0.05, driven: 0.2, launched: 1.15, runs: 0.95, slows: 0.55, pushed: 0.7, waits: 0.25 };
/** The stops of the ball, of a money wheel with a result, and of a money wheel without one. */
const LANDING = { seconds: 3, minPower: 1.8, maxPower: 3.6 };
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
	return reported.state === "winning_number" && IN_ROUND.includes(phase) ? "slows" : "nothing";
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
		if (IN_ROUND.includes(input.phase)) return { ...next, ball: { ...ball, turning: slowed(ball.turning, at) } };
		return { ...next, ball: { kind: "leaving", since: at, turning: ball.turning } };
	}
	if (ball.kind === "rim") {
		const turning = now === "slows" ? slowed(ball.turning, at) : ball.turning;
		return { ...next, ball: { ...ball, turning } };
	}
	const against = -Math.sign(rotorTarget(input) || 1);
	const from = ball.kind === "none" || ball.kind === "leaving" ? null : ball.place;
	const launch = atRest(angleOf(rotor, at) + 0.1 * against, at);
	const speed = against * (now === "slows" ? SPEED.runs : SPEED.launched);
	const turning = towards({ ...launch, speed }, against * SPEED.runs, 4, at);
	return {
		...next,
		ball: { kind: "rim", since: at, before: from, turning: now === "slows" ? slowed(turning, at) : turning },
	};
}

function slowed(turning: Turning, at: number): Turning {
	return towards(turning, Math.sign(speedOf(turning, at)) * SPEED.slows, 5, at);
}

/** Lets the ball fall from the rim into its pocket. If it is not in the rim, it fades in there. */
function landed({ rotor, ball, order }: Motion, place: number, at: number): Ball {
	if ((ball.kind === "falling" || ball.kind === "resting") && ball.place === place) return ball;
	if (ball.kind !== "rim") {
		const before = ball.kind === "falling" || ball.kind === "resting" ? ball.place : null;
		return { kind: "resting", since: at, before, place };
	}
	const angle = angleOf(ball.turning, at) - angleOf(rotor, at);
	const speed = speedOf(ball.turning, at) - speedOf(rotor, at);
	return { kind: "falling", place, relative: stopAt(angle, speed, [place / order.length], LANDING, at) };
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
		return { ball: opacity > 0 ? inRim(ball.turning, opacity, at) : null, place: null, still: opacity <= 0 };
	}
	if (ball.kind === "falling") {
		const u = Math.min(1, (at - ball.relative.at) / ball.relative.seconds);
		if (u >= 1) return { ball: inPocket(ball.place), place: ball.place, still: true };
		const angle = rotor + angleOf(ball.relative, at);
		const speed = rotorSpeed + speedOf(ball.relative, at);
		return { ball: { angle, ...hopping(u), opacity: 1, speed }, place: null, still: false };
	}
	// The ball fades out at the old place and then in at the new one.
	const passed = at - ball.since;
	if (ball.before !== null && passed < FADE) {
		return { ball: inPocket(ball.before, 1 - passed / FADE), place: null, still: false };
	}
	const opacity = Math.min(1, ball.before === null ? passed / FADE : passed / FADE - 1);
	if (ball.kind === "rim") return { ball: inRim(ball.turning, opacity, at), place: null, still: false };
	return { ball: inPocket(ball.place, opacity), place: opacity < 1 ? null : ball.place, still: opacity >= 1 };
}

function inRim(turning: Turning, opacity: number, at: number): BallSeen {
	return { angle: angleOf(turning, at), out: 1, lift: 0, opacity, speed: speedOf(turning, at) };
}

/** Start, end and height of each hop, as fractions of the fall. */
const HOPS = [
	[0.42, 0.62, 0.36],
	[0.62, 0.75, 0.17],
	[0.75, 0.83, 0.06],
] as const;

function hopping(u: number): { out: number; lift: number } {
	if (u < HOPS[0][0]) return { out: 1 - (u / HOPS[0][0]) ** 2, lift: 0 };
	for (const [begins, ends, height] of HOPS) {
		if (u >= ends) continue;
		const s = (u - begins) / (ends - begins);
		const hop = 4 * s * (1 - s) * height;
		return { out: hop, lift: hop };
	}
	return { out: 0, lift: 0 };
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
