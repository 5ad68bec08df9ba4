/** Fits a label into its box: on one line if that is legible, otherwise on several. */

export interface FittedLabel {
	lines: string[];
	size: number;
}

/** The mean width of a letter per unit of font size, with a margin so that labels do not touch the border. */
const LETTER = 0.6;
/** The height of a line per unit of font size. */
const LINE = 1.12;

/** Fits a label into a box. Another line is used only if it allows a font 1.5 times as large. */
export function fitted(label: string, width: number, height: number, maxSize: number): FittedLabel {
	const words = label.split(" ");
	let best = sized([label], width, height, maxSize);
	for (let count = 2; count <= words.length; count++) {
		const next = sized(broken(words, count), width, height, maxSize);
		if (next.size > best.size * 1.5) best = next;
	}
	return best;
}

function sized(lines: string[], width: number, height: number, maxSize: number): FittedLabel {
	const longest = Math.max(...lines.map((line) => [...line].length));
	return { lines, size: Math.min(maxSize, width / (longest * LETTER), height / (lines.length * LINE)) };
}

/** Breaks words into `count` lines with the shortest longest line. Among equal ways, upper lines are the longer ones. */
function broken(words: string[], count: number): string[] {
	if (count === 1) return [words.join(" ")];
	let best: string[] = [];
	let shortest = Number.POSITIVE_INFINITY;
	for (let first = 1; first <= words.length - count + 1; first++) {
		const lines = [words.slice(0, first).join(" "), ...broken(words.slice(first), count - 1)];
		const longest = Math.max(...lines.map((line) => line.length));
		if (longest <= shortest) [best, shortest] = [lines, longest];
	}
	return best;
}

/** The distance of each line below the middle of the label. */
export function offsets(lettering: FittedLabel): number[] {
	const { lines, size } = lettering;
	return lines.map((_, index) => (index - (lines.length - 1) / 2) * size * LINE);
}
