/** Typing an outcome: the keys build a text, the text names a pocket, and Enter enters the pocket that is shown.
 *
 * The entered pocket is always the one that is shown. Keys typed while no entry is accepted spoil the text until the next Enter:
 * otherwise the end of a number typed too early would be taken for a number.
 */

export interface Typing {
	readonly text: string;
	/** Whether keys were typed while no entry was accepted. Further keys are ignored until Enter or Escape. */
	readonly spoiled: boolean;
	/** The last text that was not entered, and the reason: it named no pocket, or was typed too early. */
	readonly discarded: { readonly why: "no_pocket" | "too_early"; readonly text: string } | null;
}

export interface Typed {
	readonly typing: Typing;
	/** The pocket that Enter entered, or null. */
	readonly entered: string | null;
}

export const NOTHING_TYPED: Typing = { text: "", spoiled: false, discarded: null };
const MAX_LETTERS = 12;

/** The typing after its entry was replaced by another one. The rest of a number must not be taken for another number. */
export function interruptedTyping(typing: Typing): Typing {
	return typing.text === "" && !typing.spoiled ? NOTHING_TYPED : { text: "", spoiled: true, discarded: null };
}

/** The pocket for the typed text: the one with exactly that name, or the only one that begins with it. */
export function typedPocket(text: string, pockets: readonly string[]): string | null {
	if (text === "") return null;
	const name = text.toUpperCase();
	const exact = pockets.find((pocket) => pocket.toUpperCase() === name);
	if (exact !== undefined) return exact;
	const matches = pockets.filter((pocket) => pocket.toUpperCase().startsWith(name));
	return matches.length === 1 ? (matches[0] ?? null) : null;
}

/** Whether a key belongs to the typing of an outcome. */
export function isTypingKey(key: string): boolean {
	return ["Enter", "Backspace", "Escape", "Delete"].includes(key) || /^[\p{L}\p{N}]$/u.test(key);
}

/** Applies a key. `accepts` tells whether an entry is accepted now. */
export function typed(typing: Typing, key: string, accepts: boolean, pockets: readonly string[]): Typed {
	const only = (now: Typing): Typed => ({ typing: now, entered: null });
	if (key === "Escape" || key === "Delete") return only(NOTHING_TYPED);
	if (key === "Enter") return enter(typing, accepts, pockets);
	if (key === "Backspace") return only(typing.spoiled ? typing : { ...NOTHING_TYPED, text: typing.text.slice(0, -1) });
	if (typing.spoiled || !accepts) return only({ text: "", spoiled: true, discarded: null });
	return only({ ...NOTHING_TYPED, text: (typing.text + key).toUpperCase().slice(0, MAX_LETTERS) });
}

function enter(typing: Typing, accepts: boolean, pockets: readonly string[]): Typed {
	const discard = (why: "no_pocket" | "too_early"): Typed => ({
		typing: { ...NOTHING_TYPED, discarded: { why, text: typing.text } },
		entered: null,
	});
	if (typing.spoiled) return discard("too_early");
	if (typing.text === "") return { typing, entered: null };
	if (!accepts) return discard("too_early");
	const pocket = typedPocket(typing.text, pockets);
	return pocket === null ? discard("no_pocket") : { typing: NOTHING_TYPED, entered: pocket };
}
