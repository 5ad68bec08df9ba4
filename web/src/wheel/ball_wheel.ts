/** Paints the bowl and the rotor of the ball wheel on canvases. They are painted once per size; only the rotor turns. */
import type { WheelInfo } from "../wire.ts";
import { paintOf } from "./palette.ts";

/** Distances from the centre; 1 is the outer edge of the wood. `ball` is the diameter of the ball. */
export const RADII = {
	track: 0.872,
	trackIn: 0.825,
	rotor: 0.745,
	numbersIn: 0.612,
	rest: 0.558,
	pocketsIn: 0.492,
	cone: 0.476,
	turret: 0.165,
	ball: 0.06,
} as const;

const TURN = Math.PI * 2;
const UP = -Math.PI / 2;

type Context = CanvasRenderingContext2D;

function disc(c: Context, radius: number, fill: string | CanvasGradient): void {
	c.beginPath();
	c.arc(0, 0, radius, 0, TURN);
	c.fillStyle = fill;
	c.fill();
}

function ring(c: Context, radius: number, width: number, stroke: string | CanvasGradient): void {
	c.beginPath();
	c.arc(0, 0, radius, 0, TURN);
	c.lineWidth = width;
	c.strokeStyle = stroke;
	c.stroke();
}

/** A gradient like turned brass, with streaks of light around the centre. */
export function brass(c: Context, turned = 0): CanvasGradient {
	const metal = c.createConicGradient(turned * TURN, 0, 0);
	for (const [at, colour] of [
		[0, "#b98d3f"],
		[0.1, "#f6e3ad"],
		[0.2, "#a97d34"],
		[0.34, "#6f4f1d"],
		[0.48, "#c79c4d"],
		[0.6, "#fbeec4"],
		[0.7, "#b98d3f"],
		[0.84, "#5f4317"],
		[1, "#b98d3f"],
	] as const)
		metal.addColorStop(at, colour);
	return metal;
}

export function wood(c: Context, inner: number, outer: number, light: string, dark: string): CanvasGradient {
	const grain = c.createRadialGradient(0, 0, inner, 0, 0, outer);
	grain.addColorStop(0, dark);
	grain.addColorStop(0.25, light);
	grain.addColorStop(0.7, light);
	grain.addColorStop(1, dark);
	return grain;
}

/** Paints fine rings like those from a lathe. They are the same each time. */
export function grain(c: Context, inner: number, outer: number, count: number): void {
	for (let i = 0; i < count; i++) {
		const share = ((i * 7919) % 1000) / 1000;
		const depth = ((i * 104729) % 97) / 97;
		ring(c, inner + (outer - inner) * share, 0.0025, `rgb(0 0 0 / ${(0.04 + depth * 0.1).toFixed(3)})`);
	}
}

/** Paints light from the upper left, for parts that do not turn. */
function sheen(c: Context, inner: number, outer: number, strength: number): void {
	const light = c.createConicGradient(0, 0, 0);
	for (const [at, share] of [
		[0, 0],
		[0.08, -0.5],
		[0.2, -0.9],
		[0.35, -0.3],
		[0.5, 0.2],
		[0.625, 1],
		[0.75, 0.25],
		[0.88, 0.05],
		[1, 0],
	] as const) {
		light.addColorStop(at, share >= 0 ? `rgb(255 240 210 / ${share * strength})` : `rgb(0 0 0 / ${-share * strength})`);
	}
	c.beginPath();
	c.arc(0, 0, outer, 0, TURN);
	c.arc(0, 0, inner, 0, TURN, true);
	c.fillStyle = light;
	c.fill();
}

/** Paints the bowl, which does not turn: rim, track and deflectors. */
export function paintBallWheel(c: Context): void {
	const { track, trackIn, rotor } = RADII;
	disc(c, 1, "#140a05");
	disc(c, 0.995, wood(c, 0.9, 0.995, "#6b3419", "#2c1208"));
	grain(c, 0.91, 0.99, 60);
	sheen(c, 0.9, 0.995, 0.34);
	ring(c, 0.985, 0.006, brass(c));
	// The track is hollow: dark below the lip and lighter towards the centre.
	const hollow = c.createRadialGradient(0, 0, trackIn, 0, 0, 0.925);
	for (const [at, colour] of [
		[0, "#8a4f28"],
		[0.3, "#6d3a1b"],
		[0.62, "#4a230f"],
		[0.9, "#1e0c05"],
		[1, "#120703"],
	] as const)
		hollow.addColorStop(at, colour);
	disc(c, 0.925, hollow);
	grain(c, trackIn, 0.92, 40);
	sheen(c, trackIn, 0.925, 0.28);
	ring(c, 0.926, 0.008, brass(c, 0.25));
	ring(c, track, 0.004, "rgb(255 225 180 / 0.07)");
	disc(c, trackIn, wood(c, rotor, trackIn, "#5a2c15", "#31160a"));
	grain(c, rotor, trackIn, 30);
	sheen(c, rotor, trackIn, 0.3);
	ring(c, trackIn, 0.007, brass(c, 0.1));
	for (let i = 0; i < 8; i++) deflector(c, (i / 8) * TURN + UP + TURN / 16, i % 2 === 0);
	disc(c, rotor + 0.012, "#0a0502");
}

function deflector(c: Context, angle: number, upright: boolean): void {
	const at = (RADII.rotor + RADII.trackIn) / 2 + 0.002;
	const [long, thin] = [0.032, 0.0135];
	c.save();
	c.rotate(angle);
	c.translate(at, 0);
	if (!upright) c.rotate(Math.PI / 2);
	const diamond = () => {
		c.beginPath();
		c.moveTo(-long, 0);
		c.quadraticCurveTo(0, -thin * 0.55, 0, -thin);
		c.quadraticCurveTo(0, -thin * 0.55, long, 0);
		c.quadraticCurveTo(0, thin * 0.55, 0, thin);
		c.quadraticCurveTo(0, thin * 0.55, -long, 0);
	};
	c.shadowColor = "rgb(0 0 0 / 0.7)";
	c.shadowBlur = 6;
	c.shadowOffsetX = c.shadowOffsetY = 3;
	diamond();
	c.fillStyle = "#a97d34";
	c.fill();
	c.shadowColor = "transparent";
	const metal = c.createLinearGradient(0, -thin, 0, thin);
	metal.addColorStop(0, "#fff3cf");
	metal.addColorStop(0.5, "#c9a050");
	metal.addColorStop(1, "#6b4a18");
	c.fillStyle = metal;
	c.fill();
	c.restore();
}

/** Paints the rotor: numbers and pockets in the order of the wheel, frets, cone and turret. */
export function paintRotor(c: Context, wheel: WheelInfo): void {
	const { rotor, numbersIn, pocketsIn, cone } = RADII;
	const step = TURN / wheel.order.length;
	disc(c, rotor, "#120a06");
	wheel.order.forEach((pocket, i) => {
		const paint = paintOf(wheel, pocket);
		const from = UP + (i - 0.5) * step;
		const pad = c.createRadialGradient(0, 0, numbersIn, 0, 0, rotor);
		pad.addColorStop(0, paint.deep);
		pad.addColorStop(0.16, paint.fill);
		pad.addColorStop(1, paint.fill);
		wedge(c, numbersIn, rotor - 0.008, from, from + step, pad);
		const pocketed = c.createRadialGradient(0, 0, pocketsIn, 0, 0, numbersIn);
		pocketed.addColorStop(0, "#050303");
		pocketed.addColorStop(0.22, paint.deep);
		pocketed.addColorStop(0.75, paint.fill);
		pocketed.addColorStop(1, paint.deep);
		wedge(c, pocketsIn, numbersIn, from, from + step, pocketed);
	});
	for (let i = 0; i < wheel.order.length; i++) fret(c, UP + (i - 0.5) * step);
	ring(c, rotor - 0.006, 0.011, brass(c, 0.3));
	ring(c, numbersIn, 0.007, brass(c, 0.15));
	ring(c, pocketsIn, 0.012, brass(c, 0.4));
	numbers(c, wheel, step);
	disc(c, cone, wood(c, 0.05, cone, "#8a4d26", "#3b1a0b"));
	grain(c, 0.16, cone, 70);
	inlay(c);
	turret(c);
}

function wedge(c: Context, inner: number, outer: number, from: number, to: number, fill: CanvasGradient): void {
	c.beginPath();
	c.arc(0, 0, outer, from, to);
	c.arc(0, 0, inner, to, from, true);
	c.closePath();
	c.fillStyle = fill;
	c.fill();
}

function fret(c: Context, angle: number): void {
	const { rotor, numbersIn, pocketsIn } = RADII;
	c.save();
	c.rotate(angle);
	c.lineCap = "round";
	c.beginPath();
	c.moveTo(numbersIn, 0);
	c.lineTo(rotor - 0.01, 0);
	c.lineWidth = 0.003;
	c.strokeStyle = "#cda95c";
	c.stroke();
	c.beginPath();
	c.moveTo(pocketsIn, 0.004);
	c.lineTo(numbersIn, 0.004);
	c.lineWidth = 0.007;
	c.strokeStyle = "rgb(0 0 0 / 0.55)";
	c.stroke();
	c.beginPath();
	c.moveTo(pocketsIn, 0);
	c.lineTo(numbersIn, 0);
	c.lineWidth = 0.0065;
	c.strokeStyle = "#e9d08d";
	c.stroke();
	c.restore();
}

function numbers(c: Context, wheel: WheelInfo, step: number): void {
	const middle = (RADII.numbersIn + RADII.rotor) / 2 - 0.001;
	const widest = step * middle * 0.9;
	c.textAlign = "center";
	c.textBaseline = "middle";
	wheel.order.forEach((pocket, i) => {
		c.save();
		c.rotate(i * step);
		c.translate(0, -middle);
		letter(c, pocket, 0.09, widest);
		c.fillStyle = paintOf(wheel, pocket).ink;
		c.fillText(pocket, 0, 0.004 * SCALE);
		c.restore();
	});
}

/** Text is drawn at this scale and scaled down, because fonts have no sizes below one pixel. */
const SCALE = 1000;

/** Sets the scale and the font for a text, so that it is at most `widest` wide. */
export function letter(c: Context, text: string, size: number, widest: number): void {
	c.scale(1 / SCALE, 1 / SCALE);
	c.font = `700 ${size * SCALE}px "Noto Sans", system-ui, sans-serif`;
	const wide = c.measureText(text).width / SCALE;
	if (wide > widest) c.font = `700 ${(size * SCALE * widest) / wide}px "Noto Sans", system-ui, sans-serif`;
}

/** Paints the brass inlays of the cone. */
function inlay(c: Context): void {
	const { cone } = RADII;
	ring(c, cone * 0.96, 0.004, brass(c, 0.2));
	ring(c, cone * 0.62, 0.003, "rgb(233 208 141 / 0.5)");
	for (let i = 0; i < 8; i++) {
		c.save();
		c.rotate((i / 8) * TURN);
		c.beginPath();
		c.moveTo(cone * 0.92, 0);
		c.quadraticCurveTo(cone * 0.7, 0.022, cone * 0.42, 0);
		c.quadraticCurveTo(cone * 0.7, -0.022, cone * 0.92, 0);
		c.fillStyle = i % 2 ? "rgb(20 8 3 / 0.45)" : "rgb(233 208 141 / 0.28)";
		c.fill();
		c.restore();
	}
}

/** Paints the turret with its four arms. */
function turret(c: Context): void {
	const { turret: radius } = RADII;
	c.save();
	c.shadowColor = "rgb(0 0 0 / 0.55)";
	c.shadowBlur = 14;
	for (let i = 0; i < 4; i++) {
		c.save();
		c.rotate((i / 4) * TURN + TURN / 8);
		const arm = c.createLinearGradient(0, -0.018, 0, 0.018);
		arm.addColorStop(0, "#fbeec4");
		arm.addColorStop(0.5, "#b98d3f");
		arm.addColorStop(1, "#5f4317");
		c.fillStyle = arm;
		c.beginPath();
		c.moveTo(0.05, -0.022);
		c.lineTo(radius * 1.38, -0.0095);
		c.lineTo(radius * 1.38, 0.0095);
		c.lineTo(0.05, 0.022);
		c.fill();
		const knob = c.createRadialGradient(radius * 1.42 - 0.01, -0.01, 0.002, radius * 1.42, 0, 0.03);
		knob.addColorStop(0, "#fffbe8");
		knob.addColorStop(0.4, "#d8b56a");
		knob.addColorStop(1, "#5f4317");
		c.fillStyle = knob;
		c.beginPath();
		c.arc(radius * 1.42, 0, 0.028, 0, TURN);
		c.fill();
		c.restore();
	}
	disc(c, radius * 0.72, brass(c));
	c.restore();
	ring(c, radius * 0.72, 0.004, "#5f4317");
	disc(c, radius * 0.5, brass(c, 0.35));
	ring(c, radius * 0.5, 0.003, "#6f4f1d");
	const dome = c.createRadialGradient(-0.02, -0.025, 0.004, 0, 0, radius * 0.36);
	dome.addColorStop(0, "#fffbe8");
	dome.addColorStop(0.35, "#e9cf8c");
	dome.addColorStop(1, "#6f4f1d");
	disc(c, radius * 0.34, dome);
}
