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
	spin_by_hand: "Spun by hand",
	observe_spin: "Attest the spin",
	ball_at_rest: "Record the reading",
	amend_reading: "Amend my reading",
	register_result: "Register the result",
	confirm_result: "Confirm",
	correct_result: "Resolve the readings",
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
	observe_spin: "Needed before the result can be confirmed",
	ball_at_rest: "Your reading of the wheel goes on record",
	register_result: "The result that the table is to settle",
	confirm_result: "Every seat is settled",
};

/** Keyboard shortcuts. They are off during the entry of a result, because letters and digits name pockets there. */
export const KEYS: Partial<Record<Action, string>> = {
	open_bets: "O",
	close_bets: "C",
	start_spin: "S",
	observe_spin: "A",
	confirm_result: "Y",
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
	spinOpenEffect: "Bets stay open during the spin. Close them before the ball rests, or the round is referred.",
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
	rotor: "rotor {speed}",

	// the two entries
	readingEntry: {
		ball: "Reading: where does the ball rest?",
		wheel: "Reading: which symbol does the clapper show?",
	},
	furtherReading: "Your own reading: what do you see at the wheel?",
	registrationEntry: "Registration: look at the wheel again and enter the result",
	registrationAgain: "Register another result",
	readByWheel: "The wheel has reported the outcome.",
	readByPerson: "The reading is on record.",
	typed: "Typed",
	keysHint: "Digits and Enter; Esc clears",
	clearEntry: "Clear",
	noSuchPocket: "{text} is not on this wheel. Nothing was sent.",
	noPocketYet: "{text} is not on this wheel.",
	typedTooEarly: "Typed before the table was ready. Nothing was sent. Type the number again.",
	recordReading: "Record {outcome}",
	registerOutcome: "Register {outcome}",
	chooseOutcome: "Choose the outcome",
	chooseSegmentOf: "Choose the segment",
	segmentHint: "Which segment is at the clapper? Compare its neighbours with the wheel.",
	segmentLeft: "Previous segment with this symbol",
	segmentRight: "Next segment with this symbol",
	segmentSkip: "Segment not read",
	segmentKeysHint: "Symbol and Enter, then ← → for the segment (– if not read) and Enter; Esc clears",
	keypad: "Keypad",
	cancelEntry: "Cancel the entry",
	returnedToSeats: "Returned to seats",
	houseWins: "House wins",
	houseLoses: "House loses",
	confirmOutcome: "Confirm {outcome}",
	launch: "Launch the ball",
	launchEffect: "The wheel launches the ball",
	notReadyEffect: "The wheel is not ready. Spin by hand, or wait for it.",

	// the evidence
	evidence: "On record",
	readings: "Readings at the wheel",
	registeredAs: "Registered",
	notRegistered: "not registered yet",
	noReadings: "none yet",
	mine: "yours",
	differTitle: "{one} and {other} differ",
	differMany: "The readings differ",
	segmentsDiffer: "The segments differ",
	differEffect: "Nothing is settled, and no screen shows a number.",
	cannotConfirm: "Cannot be confirmed while they differ",
	differHint:
		"Look at the wheel. Amend your own reading if it is wrong, or register the result again. Otherwise the pit resolves the round to one of the readings.",
	askPit: "Ask the pit",
	addReading: "Add my reading",
	reportsDiffer: "The reports of the spin differ. Nothing is confirmed. Refer the round.",
	missingTitle: "Missing before the result can be confirmed",
	missing: { ball: "direction of the ball", wheel: "direction of the wheel", revolutions: "revolutions" },
	spin: "Spin",
	spunByHand: "spun by hand",
	amendTitle: "Amend my reading",
	amendWas: "Your reading on record is {outcome}. The record keeps the old value and the new one.",
	amendTo: "Change {was} to {outcome}",
	resolveTitle: "Resolve the readings of round {round}",
	resolveHint: "The round is set to one of the readings. A second person must approve it.",
	resolveTo: "Set the result to {outcome}",
	unreportedTitle: "The wheel's line reported no ball",
	unreportedReason: "Why is {outcome} read by eye?",
	unreportedEffect: "The reading goes on record with this reason, and the pit is alerted.",

	// the spin
	reportTitle: "Attest the spin",
	reportHint: "Say what you saw. Your name goes on record. Choose “not measured” for what you did not see.",
	ball: "Ball",
	wheelTurned: "Wheel",
	clockwise: "Clockwise",
	anticlockwise: "Anticlockwise",
	notMeasured: "Not measured",
	revolutions: "Completed revolutions",
	fewer: "One fewer",
	more: "One more",
	minRevolutions: "A valid spin has at least {min} ({clause}).",
	alsoSeen: "Also seen",
	willVoid: "With this report the round is void by the rules, and all stakes are returned.",
	willBeValid: "With this report the spin is valid.",
	willLack: "The result cannot be confirmed until these are attested: {missing}.",
	report: "Attest",
	reportVoid: "Report and void the round",
	reportIncomplete: "Answer each line.",

	// interruptions
	interruptedTitle: "What does the wheel show?",
	interruptedHint:
		"Round {round} was interrupted. Nothing is settled or void until two persons say what the wheel shows.",
	outcomeStands: "An outcome stands",
	outcomeStandsEffect: "The round goes on: register the result, attest the spin, confirm.",
	noOutcome: "No outcome stands",
	noOutcomeEffect: "The round is void by {clause}, and every stake is returned.",
	noOutcomeTitle: "No outcome stands at the wheel",
	secondPersonNeeded: "A second person must approve it.",

	// irregularities
	irregularities: "Irregularities",
	tooLate: "Too late: it can only be declared before the result.",
	againstRecord: "The record of this round says otherwise.",
	noSpinYet: "The spin has not started. Irregularities of a spin can be declared after it has.",
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

	// chips
	colour: "Colour chips",
	colourOf: "{colour}, {value} each",
	noColour: "Cash chips only",
	issueColour: "Issue colour chips",
	redeemColour: "Redeem colour chips",
	chipColour: "Colour",
	chooseColour: "Choose a colour.",
	chipValue: "Value of one chip in {currency}",
	issueEffect: "Seat {seat} bets with {colour} chips of {value} each, at this table only.",
	redeemEffect: "The {colour} chips of seat {seat} are taken back. Their value stays in its credits.",

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
