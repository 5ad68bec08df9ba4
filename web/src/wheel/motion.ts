/**
 * What the wheel looks like at an instant, from what the house has told of it. Pure: no clock, no page.
 * A number is never shown before the house has it on record, and what the house says is never waited with.
 */
import type { Phase, Spun, WheelInfoNow } from "../wire.ts";
import { type Arrest, angleOf, arrested, speedOf, standing, stands, type Turning, towards } from "./glide.ts";

/** What the house has told, as far as it moves anything. */
export interface Told {
	readonly spun: Spun;
	readonly order: readonly string[];
	readonly shown: WheelInfoNow | null;
	readonly phase: Phase;
	readonly outcome: string | null;
	/** The outcome before this one, where it is known: there the ball still lies. */
	readonly last?: string | null;
}

/** Places are indexes of the wheel's order. `before`: where the ball was taken from when this began. */
type Ball =
	| { readonly kind: "none" }
	| { readonly kind: "rim"; readonly since: number; readonly before: number | null; readonly turning: Turning }
	| { readonly kind: "falling"; readonly place: number; readonly relative: Arrest }
	| { readonly kind: "resting"; readonly since: number; readonly before: number | null; readonly place: number }
	| { readonly kind: "leaving"; readonly since: number; readonly turning: Turning };

export interface Motion {
	readonly spun: Spun;
	readonly order: readonly string[];
	readonly rotor: Turning;
	readonly ball: Ball;
	/** Under the clapper, when the wheel stands; nothing: it stands there without a meaning. */
	readonly place: number | null;
}

export interface BallSeen {
	readonly angle: number;
	/** 1 in the rim, 0 in a pocket. */
	readonly out: number;
	/** How high it hops, 0 to 1: for its shadow. */
	readonly lift: number;
	readonly opacity: number;
	/** Turns a second, over the floor. */
	readonly speed: number;
}

export interface Picture {
	readonly rotor: number;
	readonly rotorSpeed: number;
	readonly ball: BallSeen | null;
	/** Where the outcome rests, once the picture shows it. */
	readonly place: number | null;
	/** Nothing will move until the house says something new. */
	readonly still: boolean;
}

type Doing = "nothing" | "runs" | "slows" | "rests";

const SPEED = { idle: 0.05, driven: 0.2, launched: 1.15, runs: 0.95, slows: 0.55, pushed: 0.7, waits: 0.25 };
const LANDING = { seconds: 3, least: 1.8, most: 3.6 };
const CLAPPED = { seconds: 3.4, least: 1.4, most: 3.4 };
const COASTING = { seconds: 1.6, least: 1.4, most: 3.4 };
const FADE = 0.28;
const IN_ROUND: readonly Phase[] = ["spinning", "spinning_bets_open", "at_rest", "registered"];

/** What a wheel that has said nothing does is told by the table's phase. */
export function doing({ shown, phase, outcome, order }: Told): Doing {
	if (outcome !== null && order.includes(outcome)) return "rests";
	const spins = phase === "spinning" || phase === "spinning_bets_open";
	if (!shown?.reliable || shown.state === "unknown") return spins ? "runs" : "nothing";
	if (shown.state === "ball_in_rim") return "runs";
	if (shown.state === "no_more_bets") return "slows";
	return shown.state === "winning_number" && IN_ROUND.includes(phase) ? "slows" : "nothing";
}

/** Who comes in now sees what is; nothing that has already happened is played for him. */
export function begin(told: Told, at: number): Motion {
	const now = doing(told);
	const known = now === "rests" ? told.outcome : now === "nothing" ? (told.last ?? null) : null;
	const place = known === null ? -1 : told.order.indexOf(known);
	const found = place < 0 ? null : place;
	const clapper = told.spun === "wheel";
	const ball: Ball =
		clapper || found === null ? { kind: "none" } : { kind: "resting", since: at - 1, before: null, place: found };
	const rotor = standing(clapper && found !== null ? -found / told.order.length : 0, at);
	return hear({ spun: told.spun, order: told.order, rotor, ball, place: clapper ? found : null }, told, at);
}

/** Goes on with what the house tells now. Told the same again, it goes on as it was. */
export function hear(motion: Motion, told: Told, at: number): Motion {
	return told.spun === "wheel" ? hearClapper(motion, told, at) : hearBall(motion, told, at);
}

function hearBall(motion: Motion, told: Told, at: number): Motion {
	const rotor = towards(motion.rotor, rotorTarget(told), 1.2, at);
	const next = { ...motion, rotor };
	const { ball } = motion;
	const now = doing(told);
	if (now === "rests") return { ...next, ball: landed(next, told.order.indexOf(told.outcome ?? ""), at) };
	if (now === "nothing") {
		if (ball.kind !== "rim") return next;
		// The round is over and no ball counts: it is taken out. While a round goes on, it runs until there is a word on it.
		if (IN_ROUND.includes(told.phase)) return { ...next, ball: { ...ball, turning: slowed(ball.turning, at) } };
		return { ...next, ball: { kind: "leaving", since: at, turning: ball.turning } };
	}
	if (ball.kind === "rim") {
		const turning = now === "slows" ? slowed(ball.turning, at) : ball.turning;
		return { ...next, ball: { ...ball, turning } };
	}
	const against = -Math.sign(rotorTarget(told) || 1);
	const from = ball.kind === "none" || ball.kind === "leaving" ? null : ball.place;
	const launch = standing(angleOf(rotor, at) + 0.1 * against, at);
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

/** From the rim it falls; from elsewhere it is put there. */
function landed({ rotor, ball, order }: Motion, place: number, at: number): Ball {
	if ((ball.kind === "falling" || ball.kind === "resting") && ball.place === place) return ball;
	if (ball.kind !== "rim") {
		const before = ball.kind === "falling" || ball.kind === "resting" ? ball.place : null;
		return { kind: "resting", since: at, before, place };
	}
	const angle = angleOf(ball.turning, at) - angleOf(rotor, at);
	const speed = speedOf(ball.turning, at) - speedOf(rotor, at);
	return { kind: "falling", place, relative: arrested(angle, speed, [place / order.length], LANDING, at) };
}

function rotorTarget({ shown, phase }: Told): number {
	if (phase === "closed" || phase === "stopped") return 0;
	if (!shown) return phase === "spinning" || phase === "spinning_bets_open" ? SPEED.driven : SPEED.idle;
	if (!shown.reliable || shown.state === "closed") return 0;
	if (shown.rotor === "") return SPEED.idle;
	return directed(shown) * (shown.rotor_decirpm / 600);
}

function directed(shown: WheelInfoNow | null): number {
	return shown?.rotor === "anticlockwise" ? -1 : 1;
}

function hearClapper(motion: Motion, told: Told, at: number): Motion {
	const { rotor } = motion;
	const count = told.order.length;
	const now = doing(told);
	if (now === "rests") {
		if (motion.place !== null && told.order[motion.place] === told.outcome) return motion;
		const segments = told.order.flatMap((symbol, i) => (symbol === told.outcome ? [i] : []));
		const places = segments.map((segment) => -segment / count);
		const stop = arrested(angleOf(rotor, at), speedOf(rotor, at), places, CLAPPED, at);
		const ends = Math.round(-(stop.angle + stop.way) * count);
		return { ...motion, rotor: stop, place: ((ends % count) + count) % count };
	}
	const sign = Math.sign(speedOf(rotor, at)) || directed(told.shown);
	if (now === "runs") {
		const reported = told.shown?.reliable && told.shown.rotor !== "" ? told.shown.rotor_decirpm / 600 : 0;
		const target = directed(told.shown) * (reported || SPEED.pushed);
		return { ...motion, rotor: towards(rotor, target, 0.5, at), place: null };
	}
	if (now === "slows" || (turns(rotor) && IN_ROUND.includes(told.phase)))
		return { ...motion, rotor: towards(rotor, sign * SPEED.waits, 2.5, at), place: null };
	if (!turns(rotor)) return motion;
	// No result: it comes to rest on a pin, where no symbol counts.
	const pins = told.order.map((_, segment) => -(segment + 0.5) / count);
	return { ...motion, rotor: arrested(angleOf(rotor, at), speedOf(rotor, at), pins, COASTING, at), place: null };
}

function turns(turning: Turning): boolean {
	return turning.kind === "glide" && turning.target !== 0;
}

/** The picture at an instant that is not before the last thing heard. */
export function picture(motion: Motion, at: number): Picture {
	const rotor = angleOf(motion.rotor, at);
	const rotorSpeed = speedOf(motion.rotor, at);
	const rests = stands(motion.rotor, at);
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
	const lies = (place: number, opacity = 1): BallSeen => ({
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
		if (u >= 1) return { ball: lies(ball.place), place: ball.place, still: true };
		const angle = rotor + angleOf(ball.relative, at);
		const speed = rotorSpeed + speedOf(ball.relative, at);
		return { ball: { angle, ...hopping(u), opacity: 1, speed }, place: null, still: false };
	}
	// Taken from one place and put into the other.
	const passed = at - ball.since;
	if (ball.before !== null && passed < FADE) {
		return { ball: lies(ball.before, 1 - passed / FADE), place: null, still: false };
	}
	const opacity = Math.min(1, ball.before === null ? passed / FADE : passed / FADE - 1);
	if (ball.kind === "rim") return { ball: inRim(ball.turning, opacity, at), place: null, still: false };
	return { ball: lies(ball.place, opacity), place: opacity < 1 ? null : ball.place, still: opacity >= 1 };
}

function inRim(turning: Turning, opacity: number, at: number): BallSeen {
	return { angle: angleOf(turning, at), out: 1, lift: 0, opacity, speed: speedOf(turning, at) };
}

/** Beginning, end and height of each hop, as shares of the fall. */
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

/** For whoever wants nothing to move: what is, as a still picture. */
export function stillPicture(told: Told): Picture {
	const motion = begin({ ...told, shown: told.shown && { ...told.shown, rotor_decirpm: 0 } }, 0);
	const place = motion.spun === "wheel" ? motion.place : motion.ball.kind === "resting" ? motion.ball.place : null;
	const rotor = motion.spun === "wheel" && place !== null ? -place / told.order.length : 0;
	const seen = { lift: 0, opacity: 1, speed: 0 };
	const ball: BallSeen | null =
		motion.ball.kind === "resting"
			? { angle: motion.ball.place / told.order.length, out: 0, ...seen }
			: motion.ball.kind === "rim"
				? { angle: 0, out: 1, ...seen }
				: null;
	return { rotor, rotorSpeed: 0, ball, place, still: true };
}

/** How far a pin bends the clapper, -1 to 1, with the sign of the turning: it pushes the tip along, then the tip springs back. */
export function clapperBend(rotor: number, speed: number, segments: number): number {
	const past = (((rotor * segments + 0.5) % 1) + 1) % 1;
	const across = speed < 0 ? 1 - past : past;
	const bend = across < 0.34 ? across / 0.34 : Math.max(0, 1 - (across - 0.34) / 0.1);
	return speed < 0 ? -bend : bend;
}
