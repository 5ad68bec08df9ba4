/** The condition of a wheel in words. All staff screens use these texts, so that they agree. */
import { filled } from "../lib/i18n.svelte.ts";
import type { WheelUse } from "../wire.ts";

const USES: Record<WheelUse, string> = {
	ready: "Ready",
	not_ready: "Not ready yet",
	out_of_use: "Out of use",
	silent: "Not responding",
	not_connected: "Not connected",
};

/** The states that the wheel reports, where the protocol's name would mislead. The table opens bets, not the wheel. */
const STATES: Record<string, string> = {
	unknown: "no message yet",
	started: "starting",
	place_your_bets: "waiting for a launch",
	ball_in_rim: "ball in the rim",
	no_more_bets: "ball is slowing",
	winning_number: "number read",
	closed: "closed",
};

const ROTOR = "{rpm} rpm, {way}";
const ROTOR_STILL = "still";
const BACK_MANUAL = "The wheel is connected. It is used again when bets are next opened.";
const BACK_AUTOMATIC = "The wheel is connected. It is used again when the table is handed back.";

/** The parts of a wheel's status that the texts need. */
export interface WheelStatus {
	readonly use: WheelUse;
	readonly state: string;
	readonly rotor: string;
	readonly rotor_decirpm: number;
}

export function useText(use: WheelUse): string {
	return USES[use];
}

/** How serious the condition is: a colour class. The text says the same. */
export function useTone(use: WheelUse): "good" | "warn" | "bad" {
	if (use === "ready") return "good";
	return use === "not_ready" ? "warn" : "bad";
}

/** The reported state. Empty if no messages arrive, because the last one is out of date. */
export function stateText({ use, state }: Pick<WheelStatus, "use" | "state">): string {
	if (use === "silent" || use === "not_connected") return "";
	return STATES[state] ?? state.replaceAll("_", " ");
}

/** The speed of the rotor. Empty if no messages arrive, or none has arrived yet. */
export function rotorText({ use, state, rotor, rotor_decirpm }: WheelStatus): string {
	if (stateText({ use, state }) === "" || state === "unknown") return "";
	return rotor_decirpm > 0 ? filled(ROTOR, { rpm: (rotor_decirpm / 10).toFixed(1), way: rotor }) : ROTOR_STILL;
}

/** The condition and the reported state in one line. */
export function wheelText(wheel: Pick<WheelStatus, "use" | "state">): string {
	return [useText(wheel.use), stateText(wheel)].filter(Boolean).join(" · ");
}

/** When a connected wheel is used again after a fault. Empty if it has none. */
export function backText(use: WheelUse, mode: "automatic" | "manual"): string {
	if (use !== "out_of_use") return "";
	return mode === "manual" ? BACK_MANUAL : BACK_AUTOMATIC;
}
