/** Fits a label into its box: on one line if that is legible, otherwise on several. */

export interface FittedLabel {
	lines: string[];
	size: number;
}

/** Mean width of a letter per unit of font size, with a margin, so that no label touches its border. */
const LETTER = 0.6;
const LINE = 1.12;

export function fitted(label: string, width: number, height: number, most: number): FittedLabel {
	const words = label.split(" ");
	let best = sized([label], width, height, most);
	for (let count = 2; count <= words.length; count++) {
		const next = sized(broken(words, count), width, height, most);
		if (next.size > best.size * 1.5) best = next;
	}
	return best;
}

function sized(lines: string[], width: number, height: number, most: number): FittedLabel {
	const longest = Math.max(...lines.map((line) => [...line].length));
	return { lines, size: Math.min(most, width / (longest * LETTER), height / (lines.length * LINE)) };
}

/** Into `count` lines, the longest as short as can be, and rather long above than below. */
function broken(words: string[], count: number): string[] {
	if (count === 1) return [words.join(" ")];
	let best: string[] = [];
	let least = Number.POSITIVE_INFINITY;
	for (let first = 1; first <= words.length - count + 1; first++) {
		const lines = [words.slice(0, first).join(" "), ...broken(words.slice(first), count - 1)];
		const longest = Math.max(...lines.map((line) => line.length));
		if (longest <= least) [best, least] = [lines, longest];
	}
	return best;
}

/** How far below the middle each line stands. */
export function offsets(lettering: FittedLabel): number[] {
	const { lines, size } = lettering;
	return lines.map((_, index) => (index - (lines.length - 1) / 2) * size * LINE);
}
