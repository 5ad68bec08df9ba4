/** The words of logging in, of the lock, and of people's positions; what all staff screens share. */
import type { Role, StaffPosition } from "../wire.ts";

/** Where no rulebook is at hand that has its own titles. */
export const POSITIONS: Record<Role | StaffPosition, string> = {
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

export const W = {
	logIn: "Log in",
	logInAtConsole: "Log in at the console of {table}",
	logInAtDesk: "Log in at the pit desk",
	name: "Name",
	password: "Password",
	entering: "Looking…",
	chooseTable: "At which table's console do you work?",
	noTables: "This house has no tables.",
	unlock: "Unlock",
	lockedTitle: "Console locked",
	lockedBy: "{name} is logged in here. Only the same person's password unlocks it.",
	lock: "Lock",
	logOut: "Log out",
	other: "Log {name} out",
	elsewhereTitle: "You work at another console",
	elsewhere: "{name} is logged in at the console of {console}. A Dealer or Cashier works at one table at a time.",
	elsewhereNone: "{name} is logged in at no console. A Dealer or Cashier works at the console of a table.",
	goThere: "Go to {console}",
	atDesk: "The pit desk is for the pit.",
	asking: "Asking the house who is here…",
	tryAgain: "Try again",
} as const;
