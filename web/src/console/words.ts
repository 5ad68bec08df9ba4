/** The texts of the Game Console. Announcements are not among them: they come from the rulebook. */
import { COMMON } from "../staff/words.ts";
import type { Phase } from "../wire.ts";
import type { Action } from "./actions.ts";

/** The names of the phases in the round's timeline. */
export const TIMELINE_NAMES: Partial<Record<Phase, string>> = {
	idle: "Between rounds",
	bets_open: "Bets open",
	spinning_bets_open: "Spin, bets open",
	bets_closed: "Bets closed",
	spinning: "Spin",
	at_rest: "At rest",
	registered: "Result",
};

export const ACTIONS: Record<Action, string> = {
	open_table: "Open the table",
	open_bets: "Open bets",
	close_bets: "Close bets",
	start_spin: "Start the spin",
	observe_spin: "Report the spin",
	enter_result: "Enter the result",
	confirm_result: "Confirm",
	correct_result: "Correct the result",
	declare: "Declare",
	call_no_spin: "No spin",
	refer: "Refer a matter",
	close_table: "Close the table",
	take_over: "Take over",
	hand_back: "Hand back to the automatic dealer",
};

/** The effect of the primary action, shown on its button. */
export const CONSEQUENCES: Partial<Record<Action, string>> = {
	open_table: "Players can take seats and buy credits",
	start_spin: "The round waits for the outcome",
	confirm_result: "Every seat is settled",
};

/** Keyboard shortcuts. They are off during the entry of a result, because letters and digits name pockets there. */
export const KEYS: Partial<Record<Action, string>> = {
	open_bets: "O",
	close_bets: "C",
	start_spin: "S",
	confirm_result: "Y",
};

/** The states of the wheel that need another name than their identifier. */
export const STATES: Record<string, string> = {
	started: "ready for bets",
	unknown: "no message yet",
	not_connected: "not connected",
};

export const W = {
	...COMMON,
	title: "Game Console",
	loading: "Loading the table…",
	timelineName: "Round, wheel and last results",
	sideName: "Exposure, seats, irregularities, table",
	players: "Players see",
	noPhrase: "—",
	stakedNow: "{staked} on the layout",
	spinOpen: "Spin with bets open",
	spinOpenTitle: "Start the spin with bets open",
	spinOpenEffect: "Bets stay open during the spin. Close them before the spin ends, or the round cannot continue.",
	closesIn: "Bets close in",
	lastResults: "Last results",
	noResults: "No results yet",
	roundTitle: "The round",
	lastRounds: "Closes after {rounds} rounds",
	lastRound: "Last round",
	oneMoreRound: "One more round",

	announces: { dealer: "Announce {phrase}", terminal: "The terminals announce {phrase}" },

	// mode
	manual: "Manual mode",
	automaticDeals: "The automatic dealer deals",
	dealerWaits: "Waiting: {reason}",
	takeOverReason: "Reason for manual mode (Players see it)",
	takeOverEffect: "The automatic dealer stops until the table is handed back to it.",
	handBackEffect: "The automatic dealer continues from the current phase.",
	dealersStep: "A Dealer takes the next step. You are logged in as {position}.",
	viewOnly: "View only. Your position cannot change anything here.",

	// the wheel
	noWheel: "No wheel connected; results are entered by hand",
	rotor: "rotor {rpm} rpm, {way}",
	rotorStill: "rotor still",
	reliable: "reliable",
	unreliable: "not reliable",

	// the result
	firstEntry: {
		ball: "Where does the ball rest? Enter the pocket",
		wheel: "Where did the wheel stop? Enter the symbol",
	},
	secondEntry: "Look at the wheel again and enter the result again",
	entryWithReading: "{by} {outcome}. Enter what you see",
	wheelReads: "The wheel reads",
	onRecord: "The recorded result is",
	firstSaved: "First entry saved and hidden",
	differed: "Entries {one} and {other} differ. Nothing was sent. Start again.",
	differsFromRecord: "This differs from {outcome} on record. Enter it a second time, or refer the matter.",
	typed: "Typed",
	keysHint: "Digits and Enter; Esc clears",
	startAgain: "Start again",
	registerAsRead: "Register {outcome} as read by the wheel",
	enterAnother: "Enter another result",
	keepOutcome: "Keep {outcome}",
	keypad: "Keypad",
	onHold: "Round on hold",
	disagree: "The wheel reads {wheel}, the console has {console}.",
	enterAgain: "Enter the result again",
	onHoldHint:
		"Look at the wheel. If the console is wrong, enter the result again. Otherwise the pit corrects the result.",
	returnedToSeats: "Returned to seats",
	houseWins: "House wins",
	houseLoses: "House loses",
	confirmOutcome: "Confirm {outcome}",

	// the spin
	reportTitle: "Report on the spin",
	ball: "Ball",
	wheelTurned: "Wheel",
	clockwise: "Clockwise",
	anticlockwise: "Anticlockwise",
	notSpun: "Not spun",
	didNotTurn: "Did not turn",
	notObserved: "Not observed",
	revolutions: "Completed revolutions",
	fewer: "One fewer",
	more: "One more",
	minRevolutions: "A valid spin has at least {min} ({clause}).",
	alsoSeen: "Also seen",
	willVoid: "With this report the round is void by the rules, and all stakes are returned.",
	willBeValid: "With this report the spin is valid.",
	report: "Report",
	reportVoid: "Report and void the round",
	observed: "Reported: {revolutions} revolutions",
	reportIncomplete: "Enter the directions and the revolutions.",

	// irregularities
	irregularities: "Irregularities",
	tooLate: "Too late: it can only be declared before the result.",
	noRoundNow: "No round is in progress. Irregularities of a current round cannot be declared.",
	onlyPositions: "Only {positions} can declare it.",
	forPastRounds: "Can be declared for past rounds.",
	clause: "Clause {clause}",

	// referrals
	referredTo: "Waiting for a decision by the {position}",
	referredBy: "under clause {clause}",
	referredHint: "The round is on hold until the decision is made at the pit desk.",

	// approvals
	approvalNeeded: "A second person's approval is needed.",
	approvedBy: "Another person ({positions}) can approve it at the pit desk.",
	approvalExpires: "Expires in {minutes} min.",
	approvalDone: "Approved and done.",
	approvalRejected: "Rejected, or not carried out. Nothing has changed.",
	approvalExpired: "Expired without approval. Nothing has changed.",
	withdrawn: "withdrawn by the person who asked",
	dismiss: "Dismiss",

	// money
	exposure: "Exposure",
	exposureLabel: "House win or loss by outcome",
	worstFirst: "Worst first",
	byPocket: "By pocket",
	noStakes: "No bets on the layout.",
	totalStaked: "On the layout",
	free: "free",
	noSeats: "No seats are taken.",
	stakeColumn: "Stake",
	creditsColumn: "Credits",
	cage: "Credits of seat {seat}",
	buy: "Buy credits",
	amount: "Amount in {currency}",
	cashOut: "Cash out",
	cashOutEffect: "Seat {seat} receives a ticket for {credits}.",
	redeem: "Redeem a ticket",
	ticket: "Ticket number",
	ticketIs: "Ticket {ticket}: {amount}",
	noted: "Noted",
	bought: "{amount} credited to seat {seat}.",
	redeemed: "Ticket of {amount} credited to seat {seat}.",
	notAnAmount: "Enter an amount such as 50 or 12.50.",
	layout: "Layout {layout}",
	layoutBets: "Bets on the layout",

	// the table
	tableTab: "Table",
	openLimits: "Open with other limits",
	seatMin: "Minimum bet",
	seatMax: "Maximum per seat and round",
	tableMax: "Maximum on the layout",
	log: "Event log",

	// connection and faults
	refusedTitle: "Refused",
	answerLost:
		"Connection lost before the answer arrived. The screen shows the current state: check it before you continue.",
	connectionLost: "Connection to the server lost. All buttons are disabled until it is restored.",
	noConnection: "No connection",
	stopped:
		"Table stopped: accounts do not balance, or internal error. No bets are accepted. Call the pit and an engineer.",
	sending: "Sending…",
	live: "Live",
} as const;
