/** A colour and a short label for each seat at a shared layout, the same on every screen. */

/** The colours also differ in lightness, for people with colour blindness. Each chip shows its seat's label, too. */
const COLOURS = [
	"#e2574c",
	"#2f7fd1",
	"#e6b422",
	"#8d55c7",
	"#2fa66b",
	"#ef8f35",
	"#c9c4b5",
	"#d44d92",
	"#19a3b3",
	"#7a5233",
	"#9bbf3b",
	"#4a5568",
	"#f2a3b3",
	"#5b6ee1",
	"#0e6b52",
	"#a11d33",
] as const;

/** The colours of colour chips, by their names in the rulebooks. */
const CHIP_COLOURS: Record<string, string> = {
	yellow: "#e6b422",
	orange: "#ef8f35",
	pink: "#e87fa8",
	purple: "#8d55c7",
	blue: "#2f7fd1",
	turquoise: "#19a3b3",
	brown: "#7a5233",
	grey: "#8b929a",
	red: "#c8323c",
	green: "#3f9d4f",
	white: "#f4f1ea",
	black: "#2b2d33",
};
/** The colour of a stack of cash chips, which belong to no colour set. */
const CASH = "#d9d3c3";

/** The colour of a set of colour chips. */
export function chipColour(name: string): string {
	return CHIP_COLOURS[name] ?? seatColour(name);
}

/**
 * The colour of a seat's chips on a shared layout: that of its colour chips, or of cash chips if it has none.
 * Without `issued` the game is not played with chips, and each seat has its own colour.
 */
export function stackColour(seat: string, issued: Readonly<Record<string, { colour: string }>> | null): string {
	if (issued === null) return seatColour(seat);
	const own = issued[seat];
	return own === undefined ? CASH : chipColour(own.colour);
}

export function seatColour(seat: string): string {
	const number = /(\d+)\s*$/.exec(seat)?.[1];
	const index = number === undefined ? hashOf(seat) : Number(number) - 1;
	return COLOURS[((index % COLOURS.length) + COLOURS.length) % COLOURS.length] as string;
}

/** A label that fits on a chip: the number of the seat, or the first letters of its name. */
export function seatLabel(seat: string): string {
	return /(\d{1,3})\s*$/.exec(seat)?.[1] ?? seat.slice(0, 2).toUpperCase();
}

function hashOf(text: string): number {
	let sum = 0;
	for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
	return sum;
}

/**
 * The places of the other seats' chips around a position. They form a ring that is open at the bottom, so that the
 * Player's own stack in the middle and its winnings below it stay visible.
 */
export function around(count: number, radius: number): { x: number; y: number }[] {
	return Array.from({ length: count }, (_, index) => {
		const angle = count === 1 ? -Math.PI / 4 : -Math.PI / 2 + ((2 * index) / (count - 1) - 1) * opening(count);
		return { x: Math.cos(angle) * radius, y: Math.sin(angle) * radius };
	});
}

function opening(count: number): number {
	return Math.min((count - 1) * (Math.PI / 6), (Math.PI * 3) / 4);
}
