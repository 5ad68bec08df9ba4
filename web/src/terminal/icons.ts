/** The paths of the icons, on a grid of 24 by 24. */
export const ICONS = {
	undo: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10H9",
	clear: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
	repeat: "M4 11a8 8 0 0 1 14-5l2 2M20 4v4h-4M20 13a8 8 0 0 1-14 5l-2-2M4 20v-4h4",
	double: "M12 14a6 3 0 1 0 0-6 6 3 0 1 0 0 6M6 11v5c0 1.7 2.7 3 6 3s6-1.3 6-3v-5M9 4h6M12 1v6",
	takeBack: "M7 12l4-4M7 12l4 4M7 12h12M4 4v16",
	favourites: "M12 4l2.5 5.2 5.5.8-4 4 1 5.7-5-2.7-5 2.7 1-5.7-4-4 5.5-.8z",
	menu: "M4 7h16M4 12h16M4 17h16",
	soundOn: "M4 9v6h4l5 4V5L8 9zM16 8a5 5 0 0 1 0 8M19 5a9 9 0 0 1 0 14",
	soundOff: "M4 9v6h4l5 4V5L8 9zM17 9l5 6M22 9l-5 6",
	racetrack: "M8 6h8a6 6 0 0 1 0 12H8A6 6 0 0 1 8 6zM8.5 10h7a2 2 0 0 1 0 4h-7a2 2 0 0 1 0-4z",
	board: "M3 6h18v12H3zM9 6v12M15 6v12M3 12h18",
	plus: "M12 5v14M5 12h14",
	ticket: "M4 8a2 2 0 0 0 0 8v2h16v-2a2 2 0 0 1 0-8V6H4zM14 6v12",
} as const;

export type IconName = keyof typeof ICONS;
