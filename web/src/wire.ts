// The types of the wire, written by `make wire` from the Python ones. Do not edit: a test compares them.
/** How many results a table keeps. */
export const KEPT_RESULTS = 50;
export interface AddPerson { person: string; name: string; positions: Role[]; password: string }
export interface AlertRow { alert: string; at: number; about: string; text: string; table: string | null; person: string | null }
export interface Alerts { alerts: AlertRow[] }
export type AnnouncedBy = "dealer" | "terminal";
export interface Announcement { phrases: string[]; clause: string }
/** What the sender of a request is told, once it is durable; the same again when it is resent. */
export interface Answer { id: string | null; ok: boolean; version?: number | null; events?: TableEvent[] | null; refusal?: Refusal | null; clause?: string | null; reason?: string | null; state?: TableView | null }
export interface Appoint { person: string; position: Role; begins: number; until: number }
export interface AppointmentRow { appointment: string; person: string; position: Role; begins: number; until: number; by: string | null }
export interface Appointments { appointments: AppointmentRow[] }
export interface Approve { do: "approve"; id: string; by?: StaffPosition; table?: string; proposal: string }
export interface Area { x0: number; y0: number; x1: number; y1: number }
export interface AskBallAtRest { do: "ball_at_rest"; id: string; by?: StaffPosition; table?: string; outcome: string; read_by?: ReadBy }
export interface AskBuyCredits { do: "buy_credits"; id: string; by?: StaffPosition; table?: string; seat?: string; cents: number }
export interface AskCallNoSpin { do: "call_no_spin"; id: string; by?: StaffPosition; table?: string }
export interface AskCashOut { do: "cash_out"; id: string; by?: StaffPosition; table?: string; seat?: string }
export interface AskClear { do: "clear"; id: string; by?: StaffPosition; table?: string; seat?: string }
export interface AskCloseBets { do: "close_bets"; id: string; by?: StaffPosition; table?: string }
export interface AskCloseTable { do: "close_table"; id: string; by?: StaffPosition; table?: string; last_rounds?: number }
export interface AskConfirmResult { do: "confirm_result"; id: string; by?: StaffPosition; table?: string }
export interface AskCorrectResult { do: "correct_result"; id: string; by?: StaffPosition; table?: string; round: number; outcome: string }
export interface AskDecide { do: "decide"; id: string; by?: StaffPosition; table?: string; round: number; ruling: Ruling; reason: string; outcome?: string | null }
export interface AskDeclare { do: "declare"; id: string; by?: StaffPosition; table?: string; irregularity: string; rounds?: number[] | null }
export interface AskDouble { do: "double"; id: string; by?: StaffPosition; table?: string; seat?: string }
export interface AskHandBack { do: "hand_back"; id: string; by?: StaffPosition; table?: string }
export interface AskObserveSpin { do: "observe_spin"; id: string; by?: StaffPosition; table?: string; revolutions: number; ball?: Direction | null; wheel?: Direction | null; seen?: string[] }
export interface AskOpenBets { do: "open_bets"; id: string; by?: StaffPosition; table?: string }
export interface AskOpenTable { do: "open_table"; id: string; by?: StaffPosition; table?: string; limits?: Limits | null }
export interface AskPlaceBets { do: "place_bets"; id: string; by?: StaffPosition; table?: string; seat?: string; bets: Chips[] }
export interface AskPlacePackage { do: "place_package"; id: string; by?: StaffPosition; table?: string; seat?: string; package: string; unit_cents: number }
export interface AskRedeemTicket { do: "redeem_ticket"; id: string; by?: StaffPosition; table?: string; seat?: string; ticket: string }
export interface AskRefer { do: "refer"; id: string; by?: StaffPosition; table?: string; round: number; question: string }
export interface AskRegisterResult { do: "register_result"; id: string; by?: StaffPosition; table?: string; outcome: string }
export interface AskRepeat { do: "repeat"; id: string; by?: StaffPosition; table?: string; seat?: string }
/** A table that stopped goes on, after people have looked; only if its money is right. */
export interface AskResumeTable { do: "resume_table"; id: string; by?: StaffPosition; table?: string; reason: string }
export interface AskStartSpin { do: "start_spin"; id: string; by?: StaffPosition; table?: string }
/** From here on people deal, and the automatic dealer sends nothing. */
export interface AskTakeOver { do: "take_over"; id: string; by?: StaffPosition; table?: string; reason: string }
export interface AskTakeSeat { do: "take_seat"; id: string; by?: StaffPosition; table?: string; seat?: string; terminal: string }
export interface AskUndo { do: "undo"; id: string; by?: StaffPosition; table?: string; seat?: string }
export interface AskWithdrawBets { do: "withdraw_bets"; id: string; by?: StaffPosition; table?: string; seat?: string; bets: Chips[] }
/** First message of whoever could not show his key or token when he connected. */
export interface Authenticate { do: "enter"; id: string; by?: StaffPosition; table?: string; key: string }
export interface Authority { ladder: StaffPosition[]; declares: StaffPosition[]; decides: Decision; acting: string | null; higher_may_act: string | null; titles: Record<string, string> }
export interface AutomaticModeEntered { event: "automatic_mode_entered.v1" }
export interface BallAtRest { do: "ball_at_rest"; id: string; by: StaffPosition; who?: string; second?: string; outcome: string; read_by?: ReadBy }
/** From here on an outcome is established. */
export interface BallRested { event: "ball_rested.v1"; round: number; outcome: string; clause: string; read_by?: ReadBy }
export interface BetsClosed { event: "bets_closed.v1"; round: number; phrase: string; clause: string; staked: number }
export interface BetsOpened { event: "bets_opened.v1"; round: number; phrase: string; clause: string }
export interface BetsPlaced { event: "bets_placed.v1"; seat: string; bets: Record<string, number>; how?: ChipAction; package?: string | null }
export interface BetsWithdrawn { event: "bets_withdrawn.v1"; seat: string; bets: Record<string, number>; how?: ChipAction }
export interface Betting { announced_by: AnnouncedBy; opens: Announcement; closes: Closing; late_bet: Late; late_withdrawal: Late; limits: string | null }
export interface Bounds { min?: number; max?: number }
export interface BoxInfo { position: string; label: string; colour: string | null; area: Area }
export interface BuyCredits { do: "buy_credits"; id: string; by: StaffPosition; who: string; second: string; seat: string; cents: number }
export interface CallNoSpin { do: "call_no_spin"; id: string; by: StaffPosition; who: string; second: string }
export interface CashOut { do: "cash_out"; id: string; by: StaffPosition; who: string; second: string; seat: string }
export interface CashedOut { event: "cashed_out.v1"; seat: string; cents: number; ticket: string; expires: number }
export interface CellInfo { pocket: string; colour: string | null; area: Area }
/** One frame for one batch; any part may be missing. */
export interface ChangeMessage { public?: PublicChange; own?: OwnChange; pit?: PitChange; table?: string; allowed?: Permissions; bounds?: ResolvedLimits }
/** One's own. The current one is asked for, because a console may have been left unlocked. */
export interface ChangePassword { current: string; password: string }
/** By which gesture chips were moved. */
export type ChipAction = "placed" | "package" | "repeated" | "doubled" | "withdrawn" | "cleared" | "undone";
/** A stake on one position. */
export interface Chips { position: string; cents: number }
export interface Clear { do: "clear"; id: string; by: StaffPosition; who: string; second: string; seat: string }
export interface CloseBets { do: "close_bets"; id: string; by: StaffPosition; who: string; second: string }
/** The reason that stands in the frame by which the house closes a socket. */
export type CloseReason = "says_nothing" | "not_logged_in" | "not_authorised" | "terminal_is_revoked" | "too_many_connections" | "too_large" | "too_slow" | "our_own_bug";
export interface CloseTable { do: "close_table"; id: string; by: StaffPosition; who: string; second: string; last_rounds: number }
export interface Closing { phrases: string[]; clause: string; moment: Moment; moment_clause: string }
export interface Code { code: string; expires: number }
/** The list of files with which a self-check compares the software. */
export type ComparedWith = "installed" | "given" | "none";
export interface ConfirmResult { do: "confirm_result"; id: string; by: StaffPosition; who: string; second: string }
export interface CorrectResult { do: "correct_result"; id: string; by: StaffPosition; who: string; second: string; round: number; outcome: string }
/** The name of what was made. */
export interface Created { id: string }
export interface CreditsBought { event: "credits_bought.v1"; seat: string; cents: number }
export interface CurrentTerminal { number: string; table: string; seat: string; terminal: string; bill_acceptor: boolean; guest: boolean }
/** Who one is to this house. */
export interface CurrentUser { kind: "nobody" | "person" | "terminal"; csrf: string | null; person: string | null; name: string | null; positions: Role[]; console: string | null; locked: boolean; terminal: CurrentTerminal | null; time_zone: string; everywhere: Role[]; operations: string[] }
export interface Decide { do: "decide"; id: string; by: StaffPosition; who: string; second: string; round: number; ruling: Ruling; reason: string; outcome: string | null }
/** Who decides what the rules do not cover. */
export interface Decision { position: StaffPosition; clause: string; or_above: boolean; interpretation: boolean }
export interface DecisionMade { event: "decision_made.v1"; round: number; ruling: Ruling; reason: string; by: StaffPosition; clause: string }
/** The refusals that a declaration of one irregularity would get. Without a refusal it may be declared. */
export interface Declarable { current?: Refusal; past?: Refusal }
export interface Declare { do: "declare"; id: string; by: StaffPosition; who: string; second: string; irregularity: string; rounds: number[] | null }
export type Direction = "clockwise" | "anticlockwise";
/** The answer to what no table is asked for: ping, resume, reject. */
export interface DoneMessage { id: string; ok: true; now: number }
export interface Double { do: "double"; id: string; by: StaffPosition; who: string; second: string; seat: string }
/** What an irregularity does to the round. */
export type Effect = "void_round" | "void_affected_rounds" | "conclude_round" | "continue_round" | "settle_registered_bets" | "return_unregistered_bets" | "not_participated" | "settle_by_wheel" | "later_rounds_stand" | "wheel_prevails" | "refer";
export interface Enrol { code: string; program?: boolean }
/** The body of every answer that is no success. */
export interface ErrorBody { refusal: string; reason?: string | null }
/** Errors of HTTP itself, in the order in which they are checked; the first that applies is the answer. */
export type ErrorCode = "foreign_host" | "too_many_requests" | "no_such_page" | "method_not_allowed" | "foreign_origin" | "not_logged_in" | "csrf_token_missing" | "console_is_locked" | "not_authorised" | "wrong_content_type" | "too_large" | "too_slow" | "not_understood" | "wrong_name_or_password" | "account_is_locked" | "no_such_thing" | "refused" | "does_not_verify" | "journal_unavailable" | "our_own_bug";
/** A bet with its result. Amounts are in cents. */
export interface ExplainedBet { seat: string; position: string; staked: number; result: string; returned: number; clauses: string[] }
export interface FinalesOffer { digits: number[]; clause: string }
export interface GameInfo { id: string; title: string; operator: string; version: string; effective: string; hash: string; wheel: WheelInfo; spin: SpinRule; betting: Betting; courses: Phase[][]; settlement: SettlementRule; irregularities: IrregularityInfo[]; authority: Authority; common_layout: boolean; layouts: string[]; terminals: TerminalInfo[]; inferred: Inferred[]; clauses: Record<string, string> }
/** A game in the list of those that this house plays. */
export interface GameRow { id: string; title: string; operator: string; version: string; effective: string; hash: string; layouts: string[]; terminals: string[] }
export interface Games { games: GameRow[] }
/** How far a stated fact is from the document's words. */
export type Grade = "geometry" | "reconstruction";
export type GroupBy = "table" | "shift" | "day" | "seat";
export interface GuestLogin { table: string; terminal?: string | null; program?: boolean }
export interface HandBack { do: "hand_back"; id: string; by: StaffPosition; who: string; second: string }
export interface Health { well: boolean; journal: "unavailable" | "writable"; tables: Record<string, boolean> }
export interface History { table: string; rounds: PastRound[]; before: number | null }
/** The house's own answer to what it does not put to the table: not allowed, or for a second person to approve. */
export interface HouseAnswer { id: string; ok: false; refusal: HouseRefusal; reason?: string; proposal?: string; position?: StaffPosition }
/** What waits at the pit's desk, all of it. */
export interface HouseDesk { alerts: AlertRow[]; proposals: ProposalRow[] }
export interface HouseInfo { name: string; version: string; now: number; currency: string; time_zone: string; guests: boolean; self_check: SelfCheck | null; chains: WireChainHead[] }
/** On the pit's socket: after connecting, and whenever something of it has changed. */
export interface HouseMessage { house: HouseDesk }
/** Sent to consoles and terminals as it is. */
export type HouseRefusal = "not_logged_in" | "wrong_name_or_password" | "person_is_locked" | "console_is_locked" | "console_needed" | "no_position" | "not_authorised" | "other_table" | "other_seat" | "no_bill_acceptor" | "no_guests" | "terminal_is_revoked" | "no_such_table" | "no_such_seat" | "no_such_terminal" | "no_such_person" | "no_such_appointment" | "no_such_code" | "no_such_proposal" | "no_such_alert" | "name_is_taken" | "bad_name" | "bad_password" | "bad_positions" | "bad_term" | "no_reason_given" | "not_locked" | "already_done" | "has_expired" | "needs_second_person" | "same_person" | "above_oneself" | "state_has_changed" | "not_a_fact";
export interface Inferred { at: string; grade: Grade; why: string }
/** The table was reopened after an interruption in a round, and acts by the rulebook's clause on it. */
export interface InterruptionRecovered { event: "interruption_recovered.v1"; round: number; phase: string; irregularity: string; clause: string }
export interface IrregularityInfo { id: string; clause: string; words: string; effect: Effect; until: Until; declared_by: StaffPosition[]; voids: boolean; by_people: boolean; observable: boolean }
export interface LastRoundsAnnounced { event: "last_rounds_announced.v1"; rounds: number }
export interface Late { effect: LateEffect; clause: string }
/** Bets that came after closing: returned, not honoured, and on record with how late they were. */
export interface LateBetRefused { event: "late_bet_refused.v1"; seat: string; how: ChipAction; late_millis: number; clause: string; bets?: Record<string, number> }
export type LateEffect = "refused" | "stake_stands";
/** A withdrawal after closing: the stake stands and is won or lost. */
export interface LateWithdrawalRefused { event: "late_withdrawal_refused.v1"; seat: string; how: ChipAction; late_millis: number; clause: string; bets?: Record<string, number> }
export interface LayoutInfo { id: string; clause: string; area: Area; cells: CellInfo[]; boxes: BoxInfo[]; positions: PositionInfo[] }
/** What a seat may have on one position, by type or by position; in all; and all seats together. */
export interface Limits { types?: Record<string, Bounds>; positions?: Record<string, Bounds>; seat?: Bounds; table?: number }
export interface LogIn { name: string; password: string; console?: string | null; program?: boolean }
export interface LoggedIn { me: CurrentUser; token?: string | null }
/** People deal. Why is shown at every terminal. */
export interface ManualModeEntered { event: "manual_mode_entered.v1"; reason: string }
export interface MatterReferred { event: "matter_referred.v1"; round: number; question: string; decides: StaffPosition; clause: string }
export interface Meters { meters: MetersRow[] }
/** Meters of a table or of one of its seats, since the table was first opened. Amounts are in cents. */
export interface MetersRow { export: "meters.v1"; table: string; seat: string | null; seq: number; at: number | null; rounds: number; handle: number; paid: number; win: number; bought: number; tickets_in: number; drop: number; tickets_out: number; voids: number; corrections: number; shortfall: number; late_bets: number; credits: number; on_layout: number }
/** When bets close. */
export type Moment = "before_spin" | "while_spinning" | "operators_choice";
export interface NeighboursOffer { each_side: number[]; clause: string }
/** An answer on a socket. With ``own`` it is itself the seat's numbered change, and is not sent a second time. */
export interface NumberedAnswer { id: string | null; ok: boolean; version?: number | null; events?: TableEvent[] | null; refusal?: Refusal | null; clause?: string | null; reason?: string | null; state?: TableView | null; own?: number; credits?: number; bets?: Record<string, number>; undoable?: boolean; repeatable?: Record<string, number>; table?: string }
/** First message of whoever only wants to see what everybody may see. */
export interface Observe { do: "watch"; id: string; by?: StaffPosition; table?: string }
export interface ObserveSpin { do: "observe_spin"; id: string; by: StaffPosition; who: string; second: string; revolutions: number; ball: Direction | null; wheel: Direction | null; seen: string[] }
/** Exact fractions, written as such: ``1/19``. */
export interface OddsInfo { id: string; staked: number; win: string; edge: string; variance: string; returns: Record<string, number> }
export interface OddsOfAll { odds: OddsInfo[] }
/** A seat of the configuration, which says what kind of terminal stands there. */
export interface OfferTerminal { table: string; seat: string }
/** The last entry of a chain when it was read. ``audit verify --noted HASH`` checks it against a later journal. */
export interface OfficeChainHead { table: string; entries: number; at: number | null; hash: string }
export interface Ok { done: true }
export interface OpenBets { do: "open_bets"; id: string; by: StaffPosition; who: string; second: string }
export interface OpenTable { do: "open_table"; id: string; by: StaffPosition; who: string; second: string; limits: Limits | null }
/** ``n`` counts up by one for each change of this seat; ``credits`` and ``bets`` are what it has after it. */
export interface OwnChange { n: number; events: TableEvent[]; credits: number; bets: Record<string, number>; undoable?: boolean; repeatable?: Record<string, number> }
/** A seat's own money and bets. */
export interface OwnSeat { seat: string; terminal: string; credits: number; bets: Record<string, number>; staked: number; repeatable: Record<string, number>; undoable: boolean }
export interface PackageInfo { id: string; name: string; group: string; clause: string; total: number; pieces: PieceInfo[] }
export interface Packages { terminal: string; layout: string; packages: PackageInfo[] }
export interface PastRound { round: number; outcome: string | null; rulebook: string; seats: Record<string, SeatRound> }
/** The commands that a caller may send now, by their names in ``do``. */
export interface Permissions { commands: string[]; current?: string[]; past?: string[]; approval?: string[]; declare?: Record<string, Declarable> }
export interface PersonRow { person: string; name: string; positions: Role[]; now: Role[]; locked: string; failures: number; has_password: boolean }
/** Where the table stands. Bets and spin overlap where a rulebook closes bets while the ball rotates. */
export type Phase = "closed" | "idle" | "bets_open" | "spinning_bets_open" | "bets_closed" | "spinning" | "at_rest" | "registered" | "referred" | "stopped";
export interface PieceInfo { position: string; pieces: number }
export interface Ping { do: "ping"; id: string; by?: StaffPosition; table?: string }
/** Everything of a table, for staff: whole events, the seats that they changed, and what the dealer waits for. */
export interface PitChange { n: number; version: number; events: TableEvent[]; seats?: Record<string, SeatView>; accounts?: Record<string, number>; meters?: Record<string, number | string>; matters?: Record<string, string>; interrupted?: boolean; awaiting?: string; alert?: string }
export interface PlaceBets { do: "place_bets"; id: string; by: StaffPosition; who: string; second: string; seat: string; bets: Chips[] }
export interface PlacePackage { do: "place_package"; id: string; by: StaffPosition; who: string; second: string; seat: string; package: string; unit_cents: number }
export interface PocketCount { pocket: string; segments: number; count: number; expected: number }
export interface PositionInfo { id: string; type: string; covers: string[]; at: Spot; hit: Area; pays: number; clause: string; row: string; described: string[] }
export interface Positions { positions: PositionInfo[] }
export interface ProposalRow { proposal: string; person: string; at: number; table: string; command: Command; position: StaffPosition; seconds: StaffPosition[]; expires: number; effect: TableEvent[] }
export interface Proposals { proposals: ProposalRow[] }
export interface PublicBetsClosed { event: "bets_closed.v1"; round: number; phrase: string; clause: string }
/** ``n`` counts up by one for each change of a table that everybody sees. What is left out has not changed. */
export interface PublicChange { n: number; version: number; events: PublicEvent[]; phase?: Phase; round?: number; phrase?: string | null; outcome?: string | null; limits?: Limits; results?: Result[]; last_rounds?: number | null; mode?: "automatic" | "manual"; mode_reason?: string; deadline?: number | null; wheel?: WheelInfoNow | null; chips?: Record<string, Record<string, number>> }
export interface PublicDecisionMade { event: "decision_made.v1"; round: number; ruling: Ruling; by: StaffPosition; clause: string }
export interface PublicMatterReferred { event: "matter_referred.v1"; round: number; decides: StaffPosition; clause: string }
export interface PublicRoundCorrected { event: "round_corrected.v1"; round: number; was: string; outcome: string; clause: string }
export interface PublicRoundReversed { event: "round_reversed.v1"; round: number; was: string; clauses: string[]; causes?: string[] }
export interface PublicRoundSettled { event: "round_settled.v1"; round: number; outcome: string }
export interface PublicRoundVoided { event: "round_voided.v1"; round: number; clauses: string[]; returns: string; causes?: string[] }
/** What everybody may see of a table: nobody's credits, nobody's bets. */
export interface PublicTable { id: string; game: string; rulebook: string; facts: TableFacts; version: number; phase: Phase; round: number; phrase: string | null; outcome: string | null; limits: Limits; last_results: Result[]; last_rounds: number | null; mode: "automatic" | "manual"; mode_reason: string; deadline: number | null; wheel: WheelInfoNow | null; chips: Record<string, Record<string, number>> | null }
export interface PublicTableResumed { event: "table_resumed.v1"; by: StaffPosition; clause: string }
export interface PublicTableStopped { event: "table_stopped.v1" }
/** Who read where the ball rests. */
export type ReadBy = "wheel" | "dealer";
export interface Reason { reason: string }
export interface RedeemTicket { do: "redeem_ticket"; id: string; by: StaffPosition; who: string; second: string; seat: string; ticket: string }
export interface Refer { do: "refer"; id: string; by: StaffPosition; who: string; second: string; round: number; question: string }
/** Sent to terminals as it is. They are checked in this order; the first that applies is the answer. */
export type Refusal = "not_understood" | "journal_unavailable" | "id_is_used" | "state_has_changed" | "not_authorised" | "table_is_stopped" | "table_is_closed" | "table_is_open" | "awaiting_decision" | "round_in_progress" | "no_round" | "bets_are_not_open" | "bets_are_open" | "bets_are_closed" | "bets_close_while_spinning" | "bets_close_before_spin" | "spin_has_started" | "spin_has_not_started" | "ball_is_at_rest" | "ball_is_not_at_rest" | "no_result_registered" | "readings_disagree" | "mode_is_manual" | "mode_is_automatic" | "no_such_seat" | "seat_is_taken" | "no_such_terminal" | "no_such_position" | "no_such_package" | "no_such_outcome" | "no_such_irregularity" | "no_such_round" | "no_such_ticket" | "misreported" | "too_late_to_declare" | "round_is_settled" | "round_is_void" | "played_by_other_rulebook" | "nothing_to_correct" | "nothing_referred" | "already_referred" | "no_reason_given" | "outcome_needed" | "nothing_to_undo" | "nothing_to_clear" | "nothing_to_repeat" | "nothing_to_double" | "nothing_there" | "ticket_is_redeemed" | "ticket_has_expired" | "bad_amount" | "bad_limits" | "below_minimum" | "above_maximum" | "above_seat_maximum" | "above_table_maximum" | "not_enough_credits" | "no_credits" | "needs_second_person";
export interface RegisterResult { do: "register_result"; id: string; by: StaffPosition; who: string; second: string; outcome: string }
export interface Reject { do: "reject"; id: string; by?: StaffPosition; table?: string; proposal: string; reason: string }
export interface Repeat { do: "repeat"; id: string; by: StaffPosition; who: string; second: string; seat: string }
export interface Report { report: "report.v1"; by: GroupBy; zone: string; shifts: string[]; first: string | null; last: string | null; lines: ReportRow[]; total: ReportRow; heads: OfficeChainHead[] }
/** One row of a report. Amounts are in cents, and ``hold`` is a fraction in lowest terms. */
export interface ReportRow { table: string | null; day: string | null; shift: string | null; seat: string | null; rounds: number; handle: number; paid: number; win: number; hold: string | null; hold_percent: string | null; bought: number; tickets_in: number; drop: number; tickets_out: number; voids: number; corrections: number; shortfall: number; late_bets: number }
/** The least and the most of a bet; ``max`` is nothing where no maximum is set. */
export interface ResolvedBounds { min: number; max: number | null }
/** The limits of one layout. A position that is not in ``positions`` has those of its type. */
export interface ResolvedLimits { seat: ResolvedBounds; types: Record<string, ResolvedBounds>; positions: Record<string, ResolvedBounds> }
/** What a correction means for one seat. One of credited and taken is nothing. */
export interface Restated { seat: string; was: number; now: number; credited: number; taken: number; shortfall: number; owes: number }
export interface Result { round: number; outcome: string | null }
export interface ResultConfirmed { event: "result_confirmed.v1"; round: number; dolly: string; wheel?: string | null }
export interface ResultRegistered { event: "result_registered.v1"; round: number; outcome: string; resolved_by?: StaffPosition | null; clause?: string | null }
/** What came after these numbers; a snapshot where that is no longer at hand. */
export interface Resume { do: "resume"; id: string; by?: StaffPosition; table?: string; epoch: string; public: number; own?: number }
/** A table that stopped goes on, after people have looked; only if its money is right. */
export interface ResumeTable { do: "resume_table"; id: string; by: StaffPosition; who: string; second: string; reason: string }
/** What somebody can be at a house: the positions of the rulebooks, and the auditor, who changes nothing. */
export type Role = "cashier" | "dealer" | "pit_supervisor" | "pit_manager" | "shift_manager" | "casino_manager" | "auditor";
/** A role that a person of this house can have. */
export interface RoleRow { role: Role; rank: number; appointable: boolean }
/** A settled round gets the outcome that the wheel showed; later rounds are untouched. */
export interface RoundCorrected { event: "round_corrected.v1"; round: number; was: string; outcome: string; clause: string; seats: Restated[] }
/** A settled round is void after all: every stake goes back, every winning is taken back. */
export interface RoundReversed { event: "round_reversed.v1"; round: number; was: string; clauses: string[]; seats: Restated[]; causes?: string[] }
export interface RoundSettled { event: "round_settled.v1"; round: number; outcome: string; staked: number; returned: number; seats: Record<string, [number, number]> }
/** The explanation of a round. */
export interface RoundStory { table: string; round: number; game: string; operator: string; version: string; rulebook: string; steps: Step[]; standing: Record<string, Record<string, number>>; verdicts: Verdict[]; clauses: Record<string, string>; format: number }
export interface RoundVoided { event: "round_voided.v1"; round: number; clauses: string[]; returns: string; seats: Record<string, number>; causes?: string[] }
/** What a decision can be, where the rules do not cover a matter. */
export type Ruling = "void" | "settle" | "stand";
export interface SeatRound { staked: number; returned: number }
export interface SeatTaken { event: "seat_taken.v1"; seat: string; terminal: string; layout?: string | null }
export interface SeatView { terminal: string; credits: number; bets: Record<string, number>; staked: number; meters: Record<string, number> }
/** The hash of the software itself, as it was found when last looked. */
export interface SelfCheck { at: number; software: string; expected: string; agrees: boolean; compared_with: ComparedWith }
export interface SetPassword { password: string }
export interface SetPositions { positions: Role[] }
export interface SettlementRule { loses: string; void_returns: string; loses_to: Record<string, string> }
/** Answered with the state; changes nothing and is not recorded. */
export interface Show { do: "show"; id: string; by: StaffPosition; who: string; second: string }
/** A significant event. ``table``, ``seq``, ``kind``, ``round`` and ``seat`` together identify it in all exports. */
export interface Significant { export: "event.v1"; table: string; seq: number; at: number; kind: string; round?: number | null; seat?: string | null; cents?: number | null; by?: string | null; who?: string | null; second?: string | null; detail?: Record<string, unknown> }
export interface SignificantEvents { events: Significant[]; next: string }
/** First thing after connecting, and whenever a resume cannot be served from what is at hand. */
export interface SnapshotMessage { snapshot: SocketSnapshot; epoch: string; public: number; own?: number; table?: string; allowed?: Permissions; bounds?: ResolvedLimits }
/** A table as it stands. ``own`` for a terminal whose seat is taken; ``pit``, the whole table, for staff. */
export interface SocketSnapshot { table: PublicTable; own?: OwnSeat | null; pit?: TableView | null; awaiting?: string; alert?: string }
export interface SpinObserved { event: "spin_observed.v1"; round: number; revolutions: number; ball?: Direction | null; wheel?: Direction | null; seen?: string[] }
/** What makes a spin valid. */
export interface SpinRule { least_revolutions: number; clause: string; result: string; against_the_wheel: boolean }
export interface SpinStarted { event: "spin_started.v1"; round: number }
export interface Spot { x: number; y: number }
/** What is spun: a ball against a turning wheel, or the wheel itself under a clapper. */
export type Spun = "ball" | "wheel";
export interface Staff { people: PersonRow[]; roles: RoleRow[] }
/** The offices that the rule documents name, from the Dealer up, and those that serve the money. */
export type StaffPosition = "player" | "cashier" | "dealer" | "pit_supervisor" | "pit_manager" | "shift_manager" | "casino_manager" | "system";
export interface StartSpin { do: "start_spin"; id: string; by: StaffPosition; who: string; second: string }
/** One event or refused request. */
export interface Step { entry: number; at: number; by: string; did: string; clauses: string[]; seat: string | null; refused: string | null; who: string | null; second: string | null }
export interface TableClosed { event: "table_closed.v1" }
/** What the house has set for a table. */
export interface TableFacts { name: string; currency: string; chips: number[]; seats: string[]; betting_seconds: number | null }
export interface TableOpened { event: "table_opened.v1"; game: string; version: string; rulebook: string; limits: Limits }
/** People have looked at a table that had stopped, and it goes on where it stood. */
export interface TableResumed { event: "table_resumed.v1"; reason: string; by: StaffPosition; clause: string; stopped: string }
/** The table found its own money wrong, or a fault of its own, and accepts nothing until people have looked. */
export interface TableStopped { event: "table_stopped.v1"; reason: string }
export interface TableView { phase: Phase; round: number; outcome: string | null; seats: Record<string, SeatView>; accounts: Record<string, number>; limits: Limits; last_results: Result[]; last_rounds: number | null; matters: Record<string, string>; meters: Record<string, number | string>; rulebook: Record<string, string>; mode: "automatic" | "manual"; mode_reason: string; interrupted: boolean }
export interface Tables { tables: PublicTable[] }
/** From here on people deal, and the automatic dealer sends nothing. */
export interface TakeOver { do: "take_over"; id: string; by: StaffPosition; who: string; second: string; reason: string }
export interface TakeSeat { do: "take_seat"; id: string; by: StaffPosition; who: string; second: string; seat: string; terminal: string }
export interface TerminalInfo { id: string; name: string; layout: string; clause: string; series: string[]; neighbours: NeighboursOffer | null; finales: FinalesOffer | null }
export interface TerminalRow { number: string; table: string; seat: string; terminal: string; bill_acceptor: boolean; guest: boolean; since: number }
export interface Terminals { terminals: TerminalRow[] }
export interface TicketRedeemed { event: "ticket_redeemed.v1"; seat: string; cents: number; ticket: string }
export interface Undo { do: "undo"; id: string; by: StaffPosition; who: string; second: string; seat: string }
export interface Unlock { password: string }
/** The last moment at which an irregularity can still be declared. */
export type Until = "rest" | "settlement" | "any_time";
/** The result of the round, at its end or after a correction. */
export interface Verdict { entry: number; at: number; words: string; outcome: string | null; clauses: string[]; bets: ExplainedBet[]; changes: Restated[]; disagrees: string[] }
/** An answer to one question. A fair wheel is suspected by one question in a hundred reports at most. */
export interface WheelFinding { question: string; chance: number | null; suspicious: boolean; words: string }
export interface WheelHealth { table: string; game: string; rulebook: string; first: number | null; last: number | null; spins: number; voids: number; pockets: PocketCount[]; findings: WheelFinding[]; power: string; line: WheelLineInfo | null }
export interface WheelInfo { spun: Spun; order: string[]; pockets: string[]; colours: Record<string, string>; segments: Record<string, number>; clause: string }
/** What the wheel does, as the house hears it. What number it shows is told when the table has it on record. */
export interface WheelInfoNow { state: string; at: number; rotor: string; rotor_decirpm: number; reliable: boolean }
/** What was heard on the wheel's line since the house was started. */
export interface WheelLineInfo { line: string; since: number; heard: number | null; connected: boolean; ready: boolean; alert: string; state: string; rotor: string; rotor_decirpm: number; warnings: string[]; raised: Record<string, number>; numbers: number; voids: number; unresolved: number; launches_failed: number; lines_not_understood: number; counter_jumps: number; turned_about: number; kept_direction: number; seconds: [number, number, number] | null; speed: WheelFinding; troubles: string[] }
/** Where a chain ends. Noted down elsewhere, it proves later that nothing was taken off the end. */
export interface WireChainHead { table: string; entries: number; hash: string }
export interface WithdrawBets { do: "withdraw_bets"; id: string; by: StaffPosition; who: string; second: string; seat: string; bets: Chips[] }
export type TableEvent = TableOpened | LastRoundsAnnounced | TableClosed | TableStopped | TableResumed | SeatTaken | CreditsBought | BetsOpened | BetsPlaced | BetsWithdrawn | LateBetRefused | LateWithdrawalRefused | BetsClosed | SpinStarted | SpinObserved | BallRested | ResultRegistered | ResultConfirmed | RoundSettled | RoundVoided | RoundCorrected | RoundReversed | MatterReferred | DecisionMade | ManualModeEntered | AutomaticModeEntered | CashedOut | TicketRedeemed | InterruptionRecovered;
export type PublicEvent = TableOpened | LastRoundsAnnounced | TableClosed | BetsOpened | SpinStarted | SpinObserved | BallRested | ResultRegistered | ResultConfirmed | ManualModeEntered | AutomaticModeEntered | InterruptionRecovered | PublicTableStopped | PublicTableResumed | PublicBetsClosed | PublicRoundSettled | PublicRoundVoided | PublicRoundCorrected | PublicRoundReversed | PublicMatterReferred | PublicDecisionMade;
export type Command = OpenTable | CloseTable | TakeSeat | BuyCredits | OpenBets | PlaceBets | PlacePackage | WithdrawBets | Undo | Clear | Repeat | Double | CloseBets | StartSpin | ObserveSpin | BallAtRest | RegisterResult | ConfirmResult | Declare | CallNoSpin | CorrectResult | Refer | Decide | TakeOver | HandBack | ResumeTable | CashOut | RedeemTicket | Show;
export type FromClient = AskOpenTable | AskCloseTable | AskTakeSeat | AskBuyCredits | AskOpenBets | AskPlaceBets | AskPlacePackage | AskWithdrawBets | AskUndo | AskClear | AskRepeat | AskDouble | AskCloseBets | AskStartSpin | AskObserveSpin | AskBallAtRest | AskRegisterResult | AskConfirmResult | AskDeclare | AskCallNoSpin | AskCorrectResult | AskRefer | AskDecide | AskTakeOver | AskHandBack | AskResumeTable | AskCashOut | AskRedeemTicket | Authenticate | Observe | Resume | Ping | Approve | Reject;
export type AnyErrorCode = Refusal | HouseRefusal | ErrorCode | CloseReason;
export type ToClient = SnapshotMessage | ChangeMessage | HouseMessage | NumberedAnswer | HouseAnswer | DoneMessage;
/** How long a request without an answer stays meant: in any round, in its round, or in its phase. */
export const LIFETIMES: Record<Command["do"], "always" | "round" | "phase"> = { open_table: "phase", close_table: "phase", take_seat: "always", buy_credits: "always", open_bets: "phase", place_bets: "round", place_package: "round", withdraw_bets: "round", undo: "round", clear: "round", repeat: "round", double: "round", close_bets: "phase", start_spin: "phase", observe_spin: "phase", ball_at_rest: "phase", register_result: "phase", confirm_result: "phase", declare: "phase", call_no_spin: "phase", correct_result: "phase", refer: "phase", decide: "phase", take_over: "phase", hand_back: "phase", resume_table: "phase", cash_out: "always", redeem_ticket: "always", show: "phase" };
