import { describe, expect, it } from "vitest";
import type { Phase, WheelInfoNow } from "../wire.ts";
import { angleOf, arrested, speedOf, standing, stands, towards } from "./glide.ts";
import { begin, clapperBend, hear, type Motion, picture, stillPicture, type Told } from "./motion.ts";

const ORDER = ["0", "00", "32", "15", "19", "4", "21", "2"];
const SYMBOLS = ["RWS", "1", "3", "1", "5", "1", "3", "1"];
const apart = (a: number, b: number) => Math.abs(a - b - Math.round(a - b));

function wheel(state: string, rotor = "clockwise", rotor_decirpm = 150, reliable = true): WheelInfoNow {
	return { state, at: 0, rotor, rotor_decirpm, reliable };
}

function told(phase: Phase, shown: WheelInfoNow | null, outcome: string | null = null, last?: string): Told {
	return { spun: "ball", order: ORDER, shown, phase, outcome, ...(last ? { last } : {}) };
}

const upright = (one: Told): Told => ({ ...one, spun: "wheel", order: SYMBOLS });

/** A whole round as a house tells it: what, and at which second. */
function round(outcome: string, rotor: string): [number, Told][] {
	return [
		[0, told("bets_open", wheel("place_your_bets", rotor))],
		[4, told("spinning", wheel("place_your_bets", rotor, 162))],
		[8, told("spinning", wheel("ball_in_rim", rotor, 170))],
		[10, told("spinning", wheel("no_more_bets", rotor, 168))],
		[19, told("spinning", wheel("winning_number", rotor, 150))],
		[19.02, told("registered", wheel("winning_number", rotor, 150), outcome)],
		[21, told("idle", wheel("place_your_bets", rotor, 161), outcome)],
		[25, told("bets_open", wheel("place_your_bets", rotor, 155))],
	];
}

/** Each 60th of a second of it. */
function* played(story: [number, Told][], until: number, spin = (one: Told) => one): Generator<[number, Motion]> {
	let motion: Motion | null = null;
	const left = [...story];
	for (let frame = 0; frame / 60 < until; frame++) {
		const at = frame / 60;
		while (left[0] && left[0][0] <= at) {
			const one = spin((left.shift() as [number, Told])[1]);
			motion = motion ? hear(motion, one, at) : begin(one, at);
		}
		if (motion) yield [at, motion];
	}
}

describe("a turning thing", () => {
	it("keeps angle and speed when its target changes", () => {
		const glide = towards({ ...standing(0.3, 0), speed: 0.4 }, -0.2, 1.5, 0);
		const next = towards(glide, 0.5, 0.7, 2.5);
		expect(angleOf(next, 2.5)).toBeCloseTo(angleOf(glide, 2.5), 12);
		expect(speedOf(next, 2.5)).toBeCloseTo(speedOf(glide, 2.5), 12);
		expect(speedOf(next, 30)).toBeCloseTo(0.5, 9);
	});

	it("has the speed that its angle grows by", () => {
		const glide = towards({ ...standing(0, 0), speed: 1 }, 0.3, 2, 0);
		const arrest = arrested(0.2, -0.7, [0.9], { seconds: 3, least: 1.8, most: 3.6 }, 0);
		for (const one of [glide, arrest])
			for (const at of [0.1, 0.8, 1.9])
				expect((angleOf(one, at + 1e-6) - angleOf(one, at - 1e-6)) / 2e-6).toBeCloseTo(speedOf(one, at), 5);
	});

	it.each([0.55, 0.8, -0.8, 0.25, -0.3])("comes to rest on its place with speed %f at the beginning", (speed) => {
		for (let place = 0; place < 38; place++) {
			const stop = arrested(7.123, speed, [place / 38], { seconds: 3, least: 1.8, most: 3.6 }, 10);
			expect(apart(angleOf(stop, 10 + stop.seconds), place / 38)).toBeLessThan(1e-9);
			expect(speedOf(stop, 10)).toBeCloseTo(speed, 9);
			expect(Math.sign(stop.way)).toBe(Math.sign(speed));
			expect(stands(stop, 10 + stop.seconds)).toBe(true);
		}
	});

	it("takes about the time it should, at the speed of a ball that has slowed", () => {
		for (let place = 0; place < 38; place++) {
			const { seconds } = arrested(0, 0.8, [place / 38], { seconds: 3, least: 1.8, most: 3.6 }, 0);
			expect(seconds).toBeGreaterThan(1.5);
			expect(seconds).toBeLessThan(4.5);
		}
	});
});

describe("a ball", () => {
	it.each(ORDER)("comes to rest in %s and rides on the rotor", (outcome) => {
		for (const direction of ["clockwise", "anticlockwise"]) {
			for (const [at, motion] of played(round(outcome, direction), 40)) {
				const seen = picture(motion, at);
				if (at < 25) continue;
				expect(seen.place).toBe(ORDER.indexOf(outcome));
				expect(seen.ball?.out).toBe(0);
				expect(apart(seen.ball?.angle ?? 0, seen.rotor + ORDER.indexOf(outcome) / ORDER.length)).toBeLessThan(1e-9);
			}
		}
	});

	it("never jumps, whatever is told", () => {
		for (const direction of ["clockwise", "anticlockwise"]) {
			let before: ReturnType<typeof picture> | null = null;
			for (const [at, motion] of played(round("19", direction), 30)) {
				const seen = picture(motion, at);
				if (before) {
					expect(Math.abs(seen.rotor - before.rotor)).toBeLessThan(0.3 / 60 + 1e-9);
					if (seen.ball && before.ball && before.ball.opacity === 1) {
						expect(apart(seen.ball.angle, before.ball.angle)).toBeLessThan(1.3 / 60);
						expect(Math.abs(seen.ball.out - before.ball.out)).toBeLessThan(0.12);
					}
				}
				before = seen;
			}
		}
	});

	it("runs against the rotor", () => {
		for (const [direction, sign] of [
			["clockwise", -1],
			["anticlockwise", 1],
		] as const) {
			let motion = begin(told("bets_open", wheel("place_your_bets", direction)), 0);
			motion = hear(motion, told("spinning", wheel("ball_in_rim", direction)), 1);
			const seen = picture(motion, 3);
			expect(seen.ball?.out).toBe(1);
			expect(Math.sign(seen.ball?.speed ?? 0)).toBe(sign);
			expect(Math.sign(seen.rotorSpeed)).toBe(-sign);
		}
	});

	it("shows no number before the house has it", () => {
		for (const [at, motion] of played(round("19", "clockwise"), 19)) {
			const seen = picture(motion, at);
			expect(seen.place).toBeNull();
			if (at >= 8) expect(seen.ball?.out).toBe(1);
		}
	});

	it("slows down when no more bets are taken", () => {
		let motion = begin(told("spinning", wheel("ball_in_rim")), 0);
		const fast = Math.abs(picture(motion, 5).ball?.speed ?? 0);
		motion = hear(motion, told("spinning", wheel("no_more_bets")), 5);
		expect(Math.abs(picture(motion, 12).ball?.speed ?? 0)).toBeLessThan(fast * 0.8);
	});

	it("lies in its pocket at once for whoever comes late", () => {
		const seen = picture(begin(told("registered", wheel("winning_number"), "4"), 0), 0.01);
		expect(seen.place).toBe(ORDER.indexOf("4"));
		expect(seen.ball?.opacity).toBe(1);
	});

	it("still lies where it lay while the next bets are made", () => {
		const seen = picture(begin(told("bets_open", wheel("place_your_bets"), null, "15"), 0), 0.01);
		expect(seen.place).toBe(ORDER.indexOf("15"));
	});

	it("is taken out when the round is void, and put elsewhere when the result is corrected", () => {
		let motion = begin(told("spinning", wheel("ball_in_rim")), 0);
		motion = hear(motion, told("idle", wheel("place_your_bets")), 3);
		expect(picture(motion, 5).ball).toBeNull();
		motion = hear(motion, told("registered", wheel("winning_number"), "4"), 6);
		motion = hear(motion, told("registered", wheel("winning_number"), "2"), 9);
		expect(picture(motion, 11).place).toBe(ORDER.indexOf("2"));
	});

	it("runs by the phase where no wheel speaks", () => {
		let motion = begin(told("bets_open", null), 0);
		expect(picture(motion, 5).rotorSpeed).toBeGreaterThan(0);
		motion = hear(motion, told("spinning", null), 6);
		expect(picture(motion, 8).ball?.out).toBe(1);
		motion = hear(motion, told("at_rest", null, "0"), 9);
		expect(picture(motion, 15).place).toBe(0);
	});

	it("stands still, and says so, when the wheel is not to be trusted or the table is closed", () => {
		for (const one of [told("idle", wheel("unknown", "", 0, false)), told("closed", null)]) {
			const motion = hear(begin(told("idle", wheel("place_your_bets")), 0), one, 4);
			expect(picture(motion, 4.1).still).toBe(false);
			expect(picture(motion, 20).still).toBe(true);
			expect(picture(motion, 20).rotor).toBeCloseTo(picture(motion, 60).rotor, 3);
		}
	});

	it("told the same again, goes on as it was", () => {
		const one = told("spinning", wheel("ball_in_rim"));
		const motion = hear(begin(told("bets_open", wheel("place_your_bets")), 0), one, 2);
		expect(picture(hear(motion, { ...one }, 5), 7)).toEqual(picture(motion, 7));
	});
});

describe("a wheel under a clapper", () => {
	it.each(["RWS", "1", "3", "5"])("stops with %s under the clapper", (symbol) => {
		let before: number | null = null;
		for (const [at, motion] of played(round(symbol, "clockwise"), 40, upright)) {
			const seen = picture(motion, at);
			if (before !== null) expect(Math.abs(seen.rotor - before)).toBeLessThan(0.3 / 60 + 1e-9);
			before = seen.rotor;
			if (at < 19) expect(seen.place).toBeNull();
			if (at < 30) continue;
			expect(SYMBOLS[seen.place ?? -1]).toBe(symbol);
			expect(apart(seen.rotor, -(seen.place ?? 0) / SYMBOLS.length)).toBeLessThan(1e-9);
			expect(seen.still).toBe(true);
			expect(clapperBend(seen.rotor, seen.rotorSpeed, SYMBOLS.length)).toBeCloseTo(0, 9);
		}
	});

	it("turns as fast as it says", () => {
		let motion = begin(upright(told("bets_open", wheel("place_your_bets", "clockwise", 0))), 0);
		expect(picture(motion, 1).still).toBe(true);
		motion = hear(motion, upright(told("spinning", wheel("ball_in_rim", "anticlockwise", 558))), 2);
		expect(picture(motion, 6).rotorSpeed).toBeCloseTo(-0.93, 2);
	});

	it("rests on a pin when the spin comes to nothing", () => {
		let motion = begin(upright(told("spinning", wheel("ball_in_rim", "clockwise", 500))), 0);
		motion = hear(motion, upright(told("idle", wheel("place_your_bets", "clockwise", 0))), 4);
		const seen = picture(motion, 20);
		expect(seen.still).toBe(true);
		expect(seen.place).toBeNull();
		expect(apart(seen.rotor * SYMBOLS.length, 0.5)).toBeLessThan(1e-9);
	});

	it("pushes the clapper along with it", () => {
		expect(clapperBend(0.5 / 8 + 0.02, 0.3, 8)).toBeGreaterThan(0);
		expect(clapperBend(-0.5 / 8 - 0.02, -0.3, 8)).toBeLessThan(0);
		expect(clapperBend(0, 0.3, 8)).toBe(0);
	});
});

describe("a still picture", () => {
	it("has the ball in its pocket, in the rim, or not at all", () => {
		expect(stillPicture(told("registered", wheel("winning_number"), "32")).place).toBe(2);
		expect(stillPicture(told("spinning", wheel("ball_in_rim"))).ball?.out).toBe(1);
		expect(stillPicture(told("bets_open", wheel("place_your_bets"))).ball).toBeNull();
		const seen = stillPicture(upright(told("registered", wheel("winning_number"), "5")));
		expect(apart(seen.rotor, -4 / 8)).toBe(0);
	});
});
