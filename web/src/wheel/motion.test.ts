/** Tests of the motion of the ball wheel and the money wheel. */
import { describe, expect, it } from "vitest";
import type { Phase, WheelInfoNow } from "../wire.ts";
import { angleOf, atRest, hasStopped, speedOf, stopAt, towards } from "./glide.ts";
import {
	begin,
	CATCH_SECONDS,
	clapperBend,
	type Motion,
	picture,
	stillPicture,
	update,
	type WheelInput,
} from "./motion.ts";
import { SlowTimes } from "./slow_times.ts";

const ORDER = ["0", "00", "32", "15", "19", "4", "21", "2"];
const SYMBOLS = ["RWS", "1", "3", "1", "5", "1", "3", "1"];
const apart = (a: number, b: number) => Math.abs(a - b - Math.round(a - b));

function wheel(state: string, rotor = "clockwise", rotor_decirpm = 150, reliable = true): WheelInfoNow {
	return { state, at: 0, rotor, rotor_decirpm, reliable, use: reliable ? "ready" : "out_of_use" };
}

function input(phase: Phase, reported: WheelInfoNow | null, outcome: string | null = null, last?: string): WheelInput {
	return { spun: "ball", order: ORDER, reported, phase, outcome, ...(last ? { last } : {}) };
}

const upright = (one: WheelInput): WheelInput => ({ ...one, spun: "wheel", order: SYMBOLS });

/** The inputs of a whole round, each with its time in seconds. */
function round(outcome: string, rotor: string): [number, WheelInput][] {
	return [
		[0, input("bets_open", wheel("place_your_bets", rotor))],
		[4, input("spinning", wheel("place_your_bets", rotor, 162))],
		[8, input("spinning", wheel("ball_in_rim", rotor, 170))],
		[10, input("spinning", wheel("no_more_bets", rotor, 168))],
		[19, input("spinning", wheel("winning_number", rotor, 150))],
		[19.02, input("registered", wheel("winning_number", rotor, 150), outcome)],
		[21, input("idle", wheel("place_your_bets", rotor, 161), outcome)],
		[25, input("bets_open", wheel("place_your_bets", rotor, 155))],
	];
}

/** Yields the motion for each frame, at 60 frames per second. */
function* frames(
	inputs: [number, WheelInput][],
	until: number,
	spin = (one: WheelInput) => one,
): Generator<[number, Motion]> {
	let motion: Motion | null = null;
	const left = [...inputs];
	for (let frame = 0; frame / 60 < until; frame++) {
		const at = frame / 60;
		while (left[0] && left[0][0] <= at) {
			const one = spin((left.shift() as [number, WheelInput])[1]);
			motion = motion ? update(motion, one, at) : begin(one, at);
		}
		if (motion) yield [at, motion];
	}
}

describe("a rotation", () => {
	it("keeps angle and speed when its target changes", () => {
		const glide = towards({ ...atRest(0.3, 0), speed: 0.4 }, -0.2, 1.5, 0);
		const next = towards(glide, 0.5, 0.7, 2.5);
		expect(angleOf(next, 2.5)).toBeCloseTo(angleOf(glide, 2.5), 12);
		expect(speedOf(next, 2.5)).toBeCloseTo(speedOf(glide, 2.5), 12);
		expect(speedOf(next, 30)).toBeCloseTo(0.5, 9);
	});

	it("has a speed that is the derivative of its angle", () => {
		const glide = towards({ ...atRest(0, 0), speed: 1 }, 0.3, 2, 0);
		const arrest = stopAt(0.2, -0.7, [0.9], { seconds: 3, minPower: 1.8, maxPower: 3.6 }, 0);
		for (const one of [glide, arrest])
			for (const at of [0.1, 0.8, 1.9])
				expect((angleOf(one, at + 1e-6) - angleOf(one, at - 1e-6)) / 2e-6).toBeCloseTo(speedOf(one, at), 5);
	});

	it.each([0.55, 0.8, -0.8, 0.25, -0.3])("stops at its place from an initial speed of %f", (speed) => {
		for (let place = 0; place < 38; place++) {
			const stop = stopAt(7.123, speed, [place / 38], { seconds: 3, minPower: 1.8, maxPower: 3.6 }, 10);
			expect(apart(angleOf(stop, 10 + stop.seconds), place / 38)).toBeLessThan(1e-9);
			expect(speedOf(stop, 10)).toBeCloseTo(speed, 9);
			expect(Math.sign(stop.way)).toBe(Math.sign(speed));
			expect(hasStopped(stop, 10 + stop.seconds)).toBe(true);
		}
	});

	it("stops in about the desired time from the speed of a slow ball", () => {
		for (let place = 0; place < 38; place++) {
			const { seconds } = stopAt(0, 0.8, [place / 38], { seconds: 3, minPower: 1.8, maxPower: 3.6 }, 0);
			expect(seconds).toBeGreaterThan(1.5);
			expect(seconds).toBeLessThan(4.5);
		}
	});
});

describe("a ball", () => {
	it.each(ORDER)("comes to rest in %s and turns with the rotor", (outcome) => {
		for (const direction of ["clockwise", "anticlockwise"]) {
			for (const [at, motion] of frames(round(outcome, direction), 40)) {
				const seen = picture(motion, at);
				if (at < 25) continue;
				expect(seen.place).toBe(ORDER.indexOf(outcome));
				expect(seen.ball?.out).toBe(0);
				expect(apart(seen.ball?.angle ?? 0, seen.rotor + ORDER.indexOf(outcome) / ORDER.length)).toBeLessThan(1e-9);
			}
		}
	});

	it("never jumps on new input", () => {
		for (const direction of ["clockwise", "anticlockwise"]) {
			let before: ReturnType<typeof picture> | null = null;
			for (const [at, motion] of frames(round("19", direction), 30)) {
				const seen = picture(motion, at);
				if (before) {
					expect(Math.abs(seen.rotor - before.rotor)).toBeLessThan(0.3 / 60 + 1e-9);
					if (seen.ball && before.ball && before.ball.opacity === 1) {
						expect(apart(seen.ball.angle, before.ball.angle)).toBeLessThan(2.3 / 60);
						expect(Math.abs(seen.ball.out - before.ball.out)).toBeLessThan(0.12);
					}
				}
				before = seen;
			}
		}
	});

	it("turns against the rotor", () => {
		for (const [direction, sign] of [
			["clockwise", -1],
			["anticlockwise", 1],
		] as const) {
			let motion = begin(input("bets_open", wheel("place_your_bets", direction)), 0);
			motion = update(motion, input("spinning", wheel("ball_in_rim", direction)), 1);
			const seen = picture(motion, 3);
			expect(seen.ball?.out).toBe(1);
			expect(Math.sign(seen.ball?.speed ?? 0)).toBe(sign);
			expect(Math.sign(seen.rotorSpeed)).toBe(-sign);
		}
	});

	it("shows no number before the server reports the outcome", () => {
		for (const [at, motion] of frames(round("19", "clockwise"), 19)) {
			const seen = picture(motion, at);
			expect(seen.place).toBeNull();
			if (at >= 8) expect(seen.ball?.out).toBe(1);
		}
	});

	it("slows down when betting ends", () => {
		let motion = begin(input("spinning", wheel("ball_in_rim")), 0);
		const fast = Math.abs(picture(motion, 5).ball?.speed ?? 0);
		motion = update(motion, input("spinning", wheel("no_more_bets")), 5);
		expect(Math.abs(picture(motion, 12).ball?.speed ?? 0)).toBeLessThan(fast * 0.8);
	});

	it("runs from the start of the spin, before the wheel reports it, and slows as a ball does", () => {
		let motion = begin(input("bets_closed", wheel("place_your_bets"), null, "15"), 0);
		motion = update(motion, input("spinning", wheel("place_your_bets")), 1);
		motion = update(motion, input("spinning", wheel("ball_in_rim")), 5);
		expect(picture(motion, 1.6).ball).toMatchObject({ out: 1, opacity: 1 });
		const speeds = [1.6, 3, 6, 12].map((at) => Math.abs(picture(motion, at).ball?.speed ?? 0));
		expect(speeds).toEqual([...speeds].sort((a, b) => b - a));
		expect(speeds[0]).toBeGreaterThan(2);
		expect(speeds[3]).toBeLessThan(0.9);
	});

	/** Rounds of a simulated wheel, and of a real line: the number comes 7 to 32 s after the word *no more bets*. */
	const random = () => Math.random();
	it.each([
		["a simulated wheel", () => 6 + random(), true],
		["a real line", () => 7 + 25 * random(), true],
		["a wheel that tells nothing in advance", () => 7 + 25 * random(), false],
	])("rests within 0.9 s of the outcome and never before, in 100 rounds of %s", (_, slowSeconds, timed) => {
		for (let round = 0; round < 100; round++) {
			const outcome = ORDER[round % ORDER.length] as string;
			const slow = slowSeconds();
			const told = 6 + slow;
			const rotor = round % 2 ? "clockwise" : "anticlockwise";
			const known = timed ? { slowSeconds: Math.max(0, slow + 4 * (random() - 0.5)) } : {};
			const inputs: [number, WheelInput][] = [
				[0, input("bets_open", wheel("place_your_bets", rotor), null, "15")],
				[1, input("spinning", wheel("place_your_bets", rotor))],
				[3, input("spinning", wheel("ball_in_rim", rotor))],
				[6, { ...input("spinning", wheel("no_more_bets", rotor)), ...known }],
				[told, input("at_rest", wheel("winning_number", rotor), outcome)],
			];
			const faults: string[] = [];
			let before: ReturnType<typeof picture> | null = null;
			for (const [at, motion] of frames(inputs, told + 2)) {
				const seen = picture(motion, at);
				if (at >= 1.6 && at < told) {
					if (seen.place !== null) faults.push(`a pocket is named at ${at}`);
					// Even after its fall the ball moves against the rotor, so that it rests in no pocket.
					if (Math.abs((seen.ball?.speed ?? 0) - seen.rotorSpeed) < 0.05) faults.push(`the ball rests at ${at}`);
				}
				if (at >= told + CATCH_SECONDS + 1 / 60 && seen.place !== ORDER.indexOf(outcome))
					faults.push(`the ball does not rest at ${at}`);
				if (before?.ball && seen.ball && at > 1.6) {
					if (Math.abs(seen.ball.out - before.ball.out) > 0.12) faults.push(`the ball jumps inwards at ${at}`);
					if (apart(seen.ball.angle, before.ball.angle) > 2.3 / 60) faults.push(`the ball jumps at ${at}`);
				}
				before = seen;
			}
			expect(faults).toEqual([]);
		}
	});

	it("leaves the rim two seconds before the expected number, and hops until it is told", () => {
		const slows = { ...input("spinning", wheel("no_more_bets")), slowSeconds: 9 };
		const motion = update(begin(input("spinning", wheel("ball_in_rim")), 0), slows, 5);
		expect(picture(motion, 11.9).ball?.out).toBe(1);
		expect(picture(motion, 12.8).ball?.out).toBeLessThan(0.5);
		for (let at = 12.8; at < 40; at += 0.1) expect(picture(motion, at).place).toBeNull();
	});

	it("is in its pocket at once if the page is opened after the outcome", () => {
		const seen = picture(begin(input("registered", wheel("winning_number"), "4"), 0), 0.01);
		expect(seen.place).toBe(ORDER.indexOf("4"));
		expect(seen.ball?.opacity).toBe(1);
	});

	it("stays in the previous pocket while bets are open", () => {
		const seen = picture(begin(input("bets_open", wheel("place_your_bets"), null, "15"), 0), 0.01);
		expect(seen.place).toBe(ORDER.indexOf("15"));
	});

	it("disappears if the round is void, and moves if the result is corrected", () => {
		let motion = begin(input("spinning", wheel("ball_in_rim")), 0);
		motion = update(motion, input("idle", wheel("place_your_bets")), 3);
		expect(picture(motion, 5).ball).toBeNull();
		motion = update(motion, input("registered", wheel("winning_number"), "4"), 6);
		motion = update(motion, input("registered", wheel("winning_number"), "2"), 9);
		expect(picture(motion, 11).place).toBe(ORDER.indexOf("2"));
	});

	it("follows the phase if no wheel is connected", () => {
		let motion = begin(input("bets_open", null), 0);
		expect(picture(motion, 5).rotorSpeed).toBeGreaterThan(0);
		motion = update(motion, input("spinning", null), 6);
		expect(picture(motion, 8).ball?.out).toBe(1);
		motion = update(motion, input("at_rest", null, "0"), 9);
		expect(picture(motion, 15).place).toBe(0);
	});

	it("stops if the wheel is unreliable or the table is closed", () => {
		for (const one of [input("idle", wheel("unknown", "", 0, false)), input("closed", null)]) {
			const motion = update(begin(input("idle", wheel("place_your_bets")), 0), one, 4);
			expect(picture(motion, 4.1).still).toBe(false);
			expect(picture(motion, 20).still).toBe(true);
			expect(picture(motion, 20).rotor).toBeCloseTo(picture(motion, 60).rotor, 3);
		}
	});

	it("does not change if the same input is repeated", () => {
		const one = input("spinning", wheel("ball_in_rim"));
		const motion = update(begin(input("bets_open", wheel("place_your_bets")), 0), one, 2);
		expect(picture(update(motion, { ...one }, 5), 7)).toEqual(picture(motion, 7));
	});
});

describe("a money wheel", () => {
	it.each(["RWS", "1", "3", "5"])("stops with %s under the clapper", (symbol) => {
		let before: number | null = null;
		for (const [at, motion] of frames(round(symbol, "clockwise"), 40, upright)) {
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

	it("turns at the reported speed", () => {
		let motion = begin(upright(input("bets_open", wheel("place_your_bets", "clockwise", 0))), 0);
		expect(picture(motion, 1).still).toBe(true);
		motion = update(motion, upright(input("spinning", wheel("ball_in_rim", "anticlockwise", 558))), 2);
		expect(picture(motion, 6).rotorSpeed).toBeCloseTo(-0.93, 2);
	});

	it("stops on a pin if the spin has no result", () => {
		let motion = begin(upright(input("spinning", wheel("ball_in_rim", "clockwise", 500))), 0);
		motion = update(motion, upright(input("idle", wheel("place_your_bets", "clockwise", 0))), 4);
		const seen = picture(motion, 20);
		expect(seen.still).toBe(true);
		expect(seen.place).toBeNull();
		expect(apart(seen.rotor * SYMBOLS.length, 0.5)).toBeLessThan(1e-9);
	});

	it("bends the clapper in the direction of rotation", () => {
		expect(clapperBend(0.5 / 8 + 0.02, 0.3, 8)).toBeGreaterThan(0);
		expect(clapperBend(-0.5 / 8 - 0.02, -0.3, 8)).toBeLessThan(0);
		expect(clapperBend(0, 0.3, 8)).toBe(0);
	});
});

describe("a still picture", () => {
	it("shows the ball in its pocket, in the rim, or no ball", () => {
		expect(stillPicture(input("registered", wheel("winning_number"), "32")).place).toBe(2);
		expect(stillPicture(input("spinning", wheel("ball_in_rim"))).ball?.out).toBe(1);
		expect(stillPicture(input("bets_open", wheel("place_your_bets"))).ball).toBeNull();
		const seen = stillPicture(upright(input("registered", wheel("winning_number"), "5")));
		expect(apart(seen.rotor, -4 / 8)).toBe(0);
	});
});

describe("the time from *no more bets* to the number", () => {
	it("is expected after two spins that are alike, and not if spins differ much", () => {
		const times = new SlowTimes();
		const spin = (from: number, seconds: number) => {
			times.add(true, false, from);
			times.add(true, false, from + 1);
			times.add(false, true, from + seconds);
			times.add(false, true, from + seconds + 1);
			times.add(false, false, from + seconds + 5);
		};
		spin(0, 9);
		expect(times.expected).toBeNull();
		spin(100, 8);
		expect(times.expected).toBe(8);
		spin(200, 20);
		expect(times.expected).toBeNull();
		for (let i = 3; i < 8; i++) spin(100 * i, 9);
		expect(times.expected).toBe(9);
	});

	it("is not learned from a spin without a number", () => {
		const times = new SlowTimes();
		times.add(true, false, 0);
		times.add(false, false, 4);
		times.add(false, true, 50);
		times.add(true, false, 60);
		times.add(false, true, 65);
		expect(times.expected).toBeNull();
	});
});
