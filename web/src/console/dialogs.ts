/** The dialogs of the Game Console. */
import type { Listed } from "../staff/irregularities.ts";

export type OpenDialog =
	| { kind: "declare"; one: Listed; noSpin?: boolean }
	| { kind: "cage"; seat: string }
	| { kind: "colour"; seat: string }
	| {
			kind:
				| "spin_open"
				| "observe"
				| "refer"
				| "display"
				| "close"
				| "take_over"
				| "hand_back"
				| "limits"
				| "amend"
				| "resolve";
	  };

/** Whether a dialog stays open when the phase changes. The others belong to the phase in which they were opened. */
export function staysOpen({ kind }: OpenDialog, inRound: boolean): boolean {
	if (kind === "declare") return inRound;
	return (
		kind === "cage" ||
		kind === "colour" ||
		kind === "refer" ||
		kind === "display" ||
		kind === "close" ||
		kind === "take_over" ||
		kind === "hand_back"
	);
}
