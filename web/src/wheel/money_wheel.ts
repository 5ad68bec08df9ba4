/** Paints the money wheel on canvases. Segments and pins turn; the stand does not; the clapper bends. */
import type { WheelInfo } from "../wire.ts";
import { brass, grain, letter, wood } from "./ball_wheel.ts";
import { paintOf } from "./palette.ts";

/** Distances from the centre; 1 is the outer edge of the picture. `pivot` and `tip` are the ends of the clapper. */
export const MONEY_WHEEL = { edge: 0.89, pins: 0.862, outer: 0.83, inner: 0.3, pivot: 0.955, tip: 0.805 } as const;

const TURN = Math.PI * 2;
const UP = -Math.PI / 2;
type Context = CanvasRenderingContext2D;

/** Paints the stand behind the wheel: foot, post and shadow. */
export function paintStand(c: Context): void {
	const shade = c.createRadialGradient(0.015, 0.03, 0.84, 0.015, 0.03, 0.95);
	shade.addColorStop(0, "rgb(0 0 0 / 0.75)");
	shade.addColorStop(1, "rgb(0 0 0 / 0)");
	c.fillStyle = shade;
	c.beginPath();
	c.arc(0.015, 0.03, 0.96, 0, TURN);
	c.fill();
	const post = c.createLinearGradient(-0.09, 0, 0.09, 0);
	for (const [at, colour] of [
		[0, "#1c0b05"],
		[0.3, "#6b3419"],
		[0.6, "#4a210f"],
		[1, "#150803"],
	] as const)
		post.addColorStop(at, colour);
	c.fillStyle = post;
	c.beginPath();
	c.roundRect(-0.085, -0.995, 0.17, 1.99, 0.04);
	c.fill();
	const foot = c.createLinearGradient(0, 0.92, 0, 1);
	foot.addColorStop(0, "#7d4320");
	foot.addColorStop(0.25, "#54280f");
	foot.addColorStop(1, "#1c0b05");
	c.fillStyle = foot;
	c.beginPath();
	c.roundRect(-0.4, 0.925, 0.8, 0.07, 0.02);
	c.fill();
}

export function paintMoneyWheel(c: Context, wheel: WheelInfo): void {
	const { edge, pins, outer, inner } = MONEY_WHEEL;
	const step = TURN / wheel.order.length;
	circle(c, edge, wood(c, outer, edge, "#6b3419", "#2a1107"));
	grain(c, outer, edge, 24);
	ring(c, edge - 0.006, 0.01, brass(c));
	wheel.order.forEach((symbol, i) => {
		const paint = paintOf(wheel, symbol);
		const from = UP + (i - 0.5) * step;
		const lit = c.createRadialGradient(0, 0, inner, 0, 0, outer);
		lit.addColorStop(0, paint.deep);
		lit.addColorStop(0.35, paint.fill);
		lit.addColorStop(1, paint.fill);
		c.beginPath();
		c.arc(0, 0, outer, from, from + step);
		c.arc(0, 0, inner, from + step, from, true);
		c.closePath();
		c.fillStyle = lit;
		c.fill();
		c.lineWidth = 0.0035;
		c.strokeStyle = "rgb(233 208 141 / 0.75)";
		c.stroke();
		write(c, symbol, i * step, step, paint.ink);
	});
	ring(c, outer, 0.008, brass(c, 0.2));
	for (let i = 0; i < wheel.order.length; i++) pin(c, (i - 0.5) * step, pins);
	hub(c, inner);
}

/** Writes a symbol into its segment: short symbols across it, long ones along it. */
function write(c: Context, symbol: string, angle: number, step: number, ink: string): void {
	const { outer, inner } = MONEY_WHEEL;
	c.save();
	c.rotate(angle);
	c.fillStyle = ink;
	c.textAlign = "center";
	c.textBaseline = "middle";
	if (symbol.length <= 2) {
		c.translate(0, -(outer - 0.075));
		letter(c, symbol, 0.088, step * (outer - 0.11) * 0.8);
	} else {
		c.translate(0, -(outer + inner) / 2 - 0.03);
		c.rotate(Math.PI / 2);
		letter(c, symbol, step * (outer + inner) * 0.5 * 0.95, outer - inner - 0.16);
	}
	c.fillText(symbol, 0, 3);
	c.restore();
}

function pin(c: Context, angle: number, at: number): void {
	c.save();
	c.rotate(angle);
	c.translate(0, -at);
	c.fillStyle = "rgb(0 0 0 / 0.5)";
	dot(c, 0.003, 0.004, 0.0125);
	const head = c.createRadialGradient(-0.004, -0.004, 0.001, 0, 0, 0.0125);
	head.addColorStop(0, "#fffbe8");
	head.addColorStop(0.5, "#d8b56a");
	head.addColorStop(1, "#6f4f1d");
	c.fillStyle = head;
	dot(c, 0, 0, 0.0115);
	c.restore();
}

function hub(c: Context, inner: number): void {
	circle(c, inner, wood(c, 0.05, inner, "#7d4320", "#35170a"));
	grain(c, 0.08, inner, 50);
	ring(c, inner, 0.012, brass(c, 0.1));
	ring(c, inner * 0.86, 0.003, "rgb(233 208 141 / 0.6)");
	for (let i = 0; i < 12; i++) {
		c.save();
		c.rotate((i / 12) * TURN);
		c.beginPath();
		c.moveTo(inner * 0.82, 0);
		c.quadraticCurveTo(inner * 0.6, 0.02, inner * 0.36, 0);
		c.quadraticCurveTo(inner * 0.6, -0.02, inner * 0.82, 0);
		c.fillStyle = i % 2 ? "rgb(20 8 3 / 0.5)" : "rgb(233 208 141 / 0.34)";
		c.fill();
		c.restore();
	}
	circle(c, inner * 0.3, brass(c));
	ring(c, inner * 0.3, 0.004, "#5f4317");
	circle(c, inner * 0.18, brass(c, 0.4));
	ring(c, inner * 0.18, 0.003, "#6f4f1d");
}

/** Paints the clapper hanging straight down, with its pivot in the middle of the canvas. */
export function paintClapper(c: Context): void {
	const long = MONEY_WHEEL.pivot - MONEY_WHEEL.tip;
	const leather = c.createLinearGradient(-0.03, 0, 0.03, 0);
	leather.addColorStop(0, "#5a3218");
	leather.addColorStop(0.4, "#c08a52");
	leather.addColorStop(1, "#5e3519");
	c.shadowColor = "rgb(0 0 0 / 0.6)";
	c.shadowBlur = 5;
	c.shadowOffsetX = 2;
	c.shadowOffsetY = 3;
	c.beginPath();
	c.moveTo(-0.03, 0);
	c.lineTo(-0.024, long * 0.7);
	c.quadraticCurveTo(-0.014, long, 0, long);
	c.quadraticCurveTo(0.014, long, 0.024, long * 0.7);
	c.lineTo(0.03, 0);
	c.fillStyle = leather;
	c.fill();
	c.shadowColor = "transparent";
	c.lineWidth = 0.0025;
	c.setLineDash([0.008, 0.006]);
	c.strokeStyle = "rgb(255 236 200 / 0.45)";
	c.stroke();
	c.setLineDash([]);
	const boss = c.createRadialGradient(-0.008, -0.008, 0.002, 0, 0, 0.037);
	boss.addColorStop(0, "#fffbe8");
	boss.addColorStop(0.45, "#d8b56a");
	boss.addColorStop(1, "#5f4317");
	c.fillStyle = boss;
	dot(c, 0, 0, 0.036);
}

function circle(c: Context, radius: number, fill: string | CanvasGradient): void {
	c.fillStyle = fill;
	dot(c, 0, 0, radius);
}

function dot(c: Context, x: number, y: number, radius: number): void {
	c.beginPath();
	c.arc(x, y, radius, 0, TURN);
	c.fill();
}

function ring(c: Context, radius: number, width: number, stroke: string | CanvasGradient): void {
	c.beginPath();
	c.arc(0, 0, radius, 0, TURN);
	c.lineWidth = width;
	c.strokeStyle = stroke;
	c.stroke();
}
