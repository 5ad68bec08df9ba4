/** Describes a pocket and the state of the wheel in the language of the screen. */
import { filled } from "../lib/i18n.svelte.ts";
import type { WheelInfo } from "../wire.ts";
import { doing, type WheelInput } from "./motion.ts";
import { t } from "./words.ts";

const COLOURS = ["red", "black", "green"] as const;

/** The name of a pocket's colour, or an empty text if the rulebook gives it none. */
export function colourLabel(wheel: WheelInfo, pocket: string): string {
	const name = wheel.colours[pocket] ?? "";
	const known = COLOURS.find((colour) => colour === name);
	return known ? t[known] : name;
}

/** A pocket with its colour: `17 black`. */
export function pocketLabel(wheel: WheelInfo, pocket: string): string {
	return `${pocket} ${colourLabel(wheel, pocket)}`.trim();
}

/** A sentence about the state of the wheel. */
export function wheelLabel(wheel: WheelInfo, input: WheelInput): string {
	const now = doing(input);
	if (now === "rests") return filled(t[`rests_${wheel.spun}`], { pocket: pocketLabel(wheel, input.outcome ?? "") });
	if (now === "runs") return t[`runs_${wheel.spun}`];
	if (now === "slows") return t[`slows_${wheel.spun}`];
	if (input.reported && !input.reported.reliable) return t.silent;
	if (input.phase === "closed" || input.phase === "stopped") return t.closed;
	// In an interrupted round, and while readings of the outcome differ, people look at the wheel.
	const isOpen = input.phase === "idle" || input.phase === "bets_open" || input.phase === "bets_closed";
	return isOpen ? t.waiting : t.examined;
}
