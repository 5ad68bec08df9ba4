/** The texts that all staff screens share: log-in, lock, positions and phases. */
import type { Phase, Role, StaffPosition } from "../wire.ts";

/** The titles of positions without a rulebook, which may have its own titles. */
const POSITIONS: Record<Role | StaffPosition, string> = {
	player: "Player",
	cashier: "Cashier",
	dealer: "Dealer",
	pit_supervisor: "Pit Supervisor",
	pit_manager: "Pit Manager",
	shift_manager: "Shift Manager",
	casino_manager: "Casino Manager",
	auditor: "Auditor",
	automatic_dealer: "Automatic dealer",
	system: "The system",
};

/** The rulebook's title of a position, or the default title. */
export function titled(position: Role | StaffPosition, titles: Record<string, string> = {}): string {
	return titles[position] ?? POSITIONS[position];
}

/** Joins names with "or": "Pit Manager or Shift Manager". */
export function either(names: readonly string[]): string {
	if (names.length < 2) return names.join("");
	return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

export const PHASES: Record<Phase, string> = {
	closed: "Table closed",
	idle: "Between rounds",
	bets_open: "Bets open",
	spinning_bets_open: "Spinning, bets open",
	bets_closed: "Bets closed",
	spinning: "Spinning",
	at_rest: "At rest",
	registered: "Result registered",
	interrupted: "Interrupted",
	referred: "Waits for a decision",
	stopped: "Table stopped",
};

/** The texts that several staff screens use. */
export const COMMON = {
	round: "Round {round}",
	noRound: "No round yet",
	voidRound: "void",
	noRounds: "No round has ended here yet.",
	earlier: "Earlier rounds",
	newest: "Newest rounds",
	result: "Result",
	seat: "Seat {seat}",
	seatHead: "Seat",
	seats: "Seats",
	staked: "Staked",
	returned: "Returned",
	total: "Total",
	limits: "Limits",
	wheel: "Wheel",
	segment: "segment {segment}",
	segmentNotRead: "segment not read",
	segmentRing: "Segment at the clapper",
	segmentName: "Segment {segment}: {symbol}, between {left} and {right}",
	segmentOpen: "No segment chosen",
	chooseSymbol: "Choose the symbol",
	chooseSegment: "Choose its segment",
	automatic: "Automatic dealer",
	secondsLeft: "{seconds} s",
	changes: "Changes by the correction",
	was: "Before",
	now: "After",
	credited: "Credited",
	taken: "Taken back",
	shortfall: "Could not be taken",
	when: "When",
	who: "Who",
	reason: "Reason",
	print: "Print",
	cancel: "Cancel",
	close: "Close",
	takeBack: "Take it back",
	tryAgain: "Try again",
	lock: "Lock",
	logOut: "Log out",
	noTables: "This house has no tables.",
	connectionClosed: "The server has closed the connection: {why}.",
} as const;

/** The texts of the log-in and the lock. */
export const W = {
	...COMMON,
	logIn: "Log in",
	logInAtConsole: "Log in at the console of {table}",
	logInAtDesk: "Log in at the pit desk",
	name: "Name",
	password: "Password",
	checking: "Checking…",
	chooseTable: "Choose the table of this console",
	unlock: "Unlock",
	lockedTitle: "Console locked",
	lockedBy: "{name} is logged in here. Only the password of this person unlocks the console.",
	lockedNeeds: "Tables need attention",
	lockedOne: "{table}: 1 matter",
	lockedMany: "{table}: {count} matters",
	other: "Log {name} out",
	elsewhereTitle: "You work at another console",
	elsewhere: "{name} is logged in at the console of {console}. A Dealer or Cashier works at one table at a time.",
	elsewhereNone: "{name} is not logged in at a console. A Dealer or Cashier works at the console of a table.",
	goThere: "Go to {console}",
	checkingLogin: "Checking who is logged in…",
} as const;
