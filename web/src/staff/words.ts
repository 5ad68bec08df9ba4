/** The texts that all staff screens share: log-in, lock, positions and phases. */
import type { Phase, Role, StaffPosition } from "../wire.ts";

/** Where no rulebook is at hand that has its own titles. */
const POSITIONS: Record<Role | StaffPosition, string> = {
	player: "Player",
	cashier: "Cashier",
	dealer: "Dealer",
	pit_supervisor: "Pit Supervisor",
	pit_manager: "Pit Manager",
	shift_manager: "Shift Manager",
	casino_manager: "Casino Manager",
	auditor: "Auditor",
	system: "The system",
};

/** A position as the rulebook calls it. */
export function titled(position: Role | StaffPosition, titles: Record<string, string> = {}): string {
	return titles[position] ?? POSITIONS[position];
}

/** One, or other: "Pit Manager or Shift Manager". */
export function either(words: readonly string[]): string {
	if (words.length < 2) return words.join("");
	return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
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
	referred: "Waits for a decision",
	stopped: "Table stopped",
};

/** What all desks call by the same name: rounds, seats, what is done with a paper. */
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
	automatic: "Automatic dealer",
	secondsLeft: "{seconds} s",
	changes: "What the correction changed",
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
	connectionClosed: "The house has closed the line: {why}.",
} as const;

export const W = {
	...COMMON,
	logIn: "Log in",
	logInAtConsole: "Log in at the console of {table}",
	logInAtDesk: "Log in at the pit desk",
	name: "Name",
	password: "Password",
	entering: "Looking…",
	chooseTable: "At which table's console do you work?",
	unlock: "Unlock",
	lockedTitle: "Console locked",
	lockedBy: "{name} is logged in here. Only the same person's password unlocks it.",
	other: "Log {name} out",
	elsewhereTitle: "You work at another console",
	elsewhere: "{name} is logged in at the console of {console}. A Dealer or Cashier works at one table at a time.",
	elsewhereNone: "{name} is logged in at no console. A Dealer or Cashier works at the console of a table.",
	goThere: "Go to {console}",
	asking: "Asking the house who is here…",
} as const;
