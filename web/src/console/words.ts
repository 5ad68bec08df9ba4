/** The texts of the Game Console. The announcements of the rules come from the server. */
import { COMMON } from "../staff/words.ts";
import type { Phase } from "../wire.ts";
import type { Action } from "./actions.ts";

/** The steps of a round as the rail shows them. */
export const COURSE_NAMES: Partial<Record<Phase, string>> = {
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
	correct_result: "Name the result",
	declare: "Declare",
	call_no_spin: "No spin",
	refer: "Refer a matter",
	close_table: "Close the table",
	take_over: "Take over",
	hand_back: "Hand back to the automatic dealer",
};

/** What follows, said under the next right step. */
export const CONSEQUENCES: Partial<Record<Action, string>> = {
	open_table: "Players can take seats and buy credits",
	start_spin: "The round waits for the outcome",
	confirm_result: "Every seat is settled",
};

/** One key for each step; in the entry of a result, letters and digits belong to the pockets. */
export const KEYS: Partial<Record<Action, string>> = {
	open_bets: "O",
	close_bets: "C",
	start_spin: "S",
	confirm_result: "Y",
};

export const STATES: Record<string, string> = {
	started: "ready for bets",
	unknown: "not heard yet",
	not_connected: "not connected",
};

export const W = {
	...COMMON,
	title: "Game Console",
	loading: "Asking for the table…",
	railName: "The round, the wheel and the last results",
	sideName: "Exposure, seats, irregularities, table",
	players: "Players see",
	nothingShown: "—",
	stakedNow: "{staked} on the layout",
	spinOpen: "Spin with bets open",
	spinOpenTitle: "Start the spin with bets open",
	spinOpenFollows:
		"Bets stay open while it spins. Close them before it comes to rest: after that the round could not go on.",
	closesIn: "Bets close in",
	lastResults: "Last results",
	noResults: "No results yet",
	course: "The round",
	lastRounds: "Closes after {rounds} rounds",
	lastRound: "Last round",
	lastToCome: "One last round to come",

	announces: { dealer: "Announce {phrase}", terminal: "The terminals announce {phrase}" },

	// who deals
	manual: "People deal",
	automaticDeals: "The automatic dealer deals",
	waitsFor: "It waits: {what}",
	takeOverWhy: "Why do people deal from here on? Players see it.",
	takeOverFollows: "The automatic dealer sends nothing more until it is handed back.",
	handBackFollows: "The automatic dealer goes on from where the table stands.",
	nobodysStep: "The next step is a Dealer's. You are logged in as {position}.",
	looksOnly: "You look on; nothing here can be changed by your position.",

	// the wheel
	noWheel: "No wheel is connected; people read it",
	rotor: "rotor {rpm} rpm, {way}",
	rotorStill: "rotor still",
	reliable: "reliable",
	unreliable: "not reliable",

	// the result
	enterFirst: {
		ball: "Where does the ball rest? Enter the pocket",
		wheel: "Where did the wheel stop? Enter the symbol",
	},
	enterSecond: "Enter it again, looking at the wheel anew",
	enterAgainst: "{by} {outcome}. Enter what you see",
	wheelReads: "The wheel reads",
	onRecord: "On record is",
	firstIs: "First entry is in, and hidden",
	differed: "{one} and {other} differ. Nothing was sent: begin again.",
	against: "This is not {outcome}, which is on record. Enter it twice, or refer the matter.",
	typed: "Typed",
	keysHint: "Digits and Enter; Esc clears",
	startAgain: "Begin again",
	registerAsRead: "Register {outcome}, as the wheel reads",
	enterAnother: "Enter another",
	keepIt: "Keep {outcome}",
	keypad: "Keypad",
	held: "The round is held",
	disagree: "The wheel reads {wheel}, the console has {console}.",
	lookAgain: "Enter the result again",
	heldDo: "Look at the wheel. If the console is wrong, enter it again; if not, the pit names the result.",
	goesBack: "Goes back to the seats",
	houseWins: "House wins",
	houseLoses: "House loses",
	confirmOutcome: "Confirm {outcome}",

	// the spin
	observeTitle: "What was seen of the spin",
	ball: "Ball",
	wheelTurned: "Wheel",
	clockwise: "Clockwise",
	anticlockwise: "Anticlockwise",
	notSpun: "Not spun",
	stoodStill: "Stood still",
	notNoticed: "Not noticed",
	revolutions: "Completed revolutions",
	fewer: "One fewer",
	more: "One more",
	least: "At least {least} make it valid ({clause}).",
	alsoSeen: "Also seen",
	willVoid: "By these rules that voids the round; every stake goes back.",
	willStand: "A valid spin, as far as this goes.",
	report: "Report",
	reportVoid: "Report, and void the round",
	observed: "Reported: {revolutions} revolutions",
	chooseDirections: "Say which way each turned, and how often.",

	// irregularities
	irregularities: "Irregularities",
	tooLate: "Too late: it could be declared until it was at rest.",
	noRoundNow: "No round is in progress: nothing of a round can be declared.",
	forOthers: "For {positions}.",
	ofPast: "It can be declared of rounds that are over.",
	clause: "Clause {clause}",

	// matters
	referredTo: "Waits for the decision of {position}",
	referredBy: "by {clause}",
	referredDo: "Nothing of this round moves until the decision is made at the pit desk.",

	// two persons
	secondTitle: "A second person has to approve it",
	secondWho: "{positions}, and not you, at the pit desk.",
	secondLeft: "It waits for {minutes} more minutes.",
	secondDone: "Approved and done.",
	secondGone: "Rejected, or not carried out. Nothing has changed.",
	secondExpired: "Nobody approved it in time. Nothing has changed.",
	takenBack: "taken back by who asked",
	dismiss: "Understood",

	// money
	exposure: "Exposure",
	exposureWords: "What the house wins or loses, by outcome",
	worst: "Worst first",
	byPocket: "By pocket",
	noStakes: "Nothing is staked.",
	totalStaked: "On the layout",
	free: "free",
	noSeats: "Nobody has taken a seat.",
	stakeColumn: "Stake",
	creditsColumn: "Credits",
	cage: "Credits of seat {seat}",
	buy: "Buy credits",
	amount: "Amount in {currency}",
	cashOut: "Cash out",
	cashOutFollows: "{credits} leaves seat {seat} on a ticket.",
	redeem: "Redeem a ticket",
	ticket: "Ticket number",
	ticketIs: "Ticket {ticket}: {amount}",
	noted: "Noted",
	bought: "{amount} credited to seat {seat}.",
	redeemed: "Ticket of {amount} credited to seat {seat}.",
	notAnAmount: "Write an amount such as 50 or 12.50.",
	layout: "Layout {layout}",
	board: "What stands where",

	// the table
	tableTab: "Table",
	openLimits: "Open with other limits",
	seatMin: "Least of any bet",
	seatMax: "Most of a seat in a round",
	tableMax: "Most on the layout",
	log: "What happened",

	// all screens
	refusedTitle: "Refused",
	lostRequest: "The line was lost before an answer came. What you see is how the table stands: look, then go on.",
	lost: "The line to the house is lost. Nothing can be pressed until it is back.",
	connecting: "No line",
	stopped:
		"This table found its own money wrong and has stopped itself. Nothing moves any more. Call the pit and the engineer.",
	waiting: "Asked…",
	live: "Live",
} as const;
