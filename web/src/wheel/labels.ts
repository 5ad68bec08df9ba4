/** Describes a pocket and the state of the wheel in the language of the screen. */
import { filled } from "../lib/i18n.svelte.ts";
import type { WheelInfo } from "../wire.ts";
import { doing, type Told } from "./motion.ts";
import { t } from "./words.ts";

const COLOURS = ["red", "black", "green"] as const;

/** The word for its colour; nothing where the rulebook gives it none. */
export function colourLabel(wheel: WheelInfo, pocket: string): string {
	const word = wheel.colours[pocket] ?? "";
	const known = COLOURS.find((colour) => colour === word);
	return known ? t[known] : word;
}

/** `17 black`: never by colour alone, and never without it. */
export function pocketLabel(wheel: WheelInfo, pocket: string): string {
	return `${pocket} ${colourLabel(wheel, pocket)}`.trim();
}

export function wheelLabel(wheel: WheelInfo, told: Told): string {
	const now = doing(told);
	if (now === "rests") return filled(t[`rests_${wheel.spun}`], { pocket: pocketLabel(wheel, told.outcome ?? "") });
	if (now === "runs") return t[`runs_${wheel.spun}`];
	if (now === "slows") return t[`slows_${wheel.spun}`];
	if (told.shown && !told.shown.reliable) return t.silent;
	return told.phase === "closed" || told.phase === "stopped" ? t.closed : t.waiting;
}
