"""Replays the entries of one table: decides each request again and compares the result with the recorded one.

Money is checked by a second ledger, computed from postings alone, because the state is updated by other code.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NoReturn

import msgspec

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.floats import FloatCheck
from roundhouse.audit.journal_file import RulebookSet
from roundhouse.journal.entry import Entry, Seq
from roundhouse.rules.game import Game
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table import first_procedure
from roundhouse.table.apply import apply
from roundhouse.table.decide import decide
from roundhouse.table.decision import Decision, HouseTerms
from roundhouse.table.events import AnyEvent
from roundhouse.table.evidence import PROGRAMS
from roundhouse.table.ledger import balances, imbalance, postings
from roundhouse.table.lifecycle import question_after_restart, recover, stop_software
from roundhouse.table.names import (
    CASHIER,
    DEALER_ID_PREFIX,
    GOODWILL,
    HOUSE,
    HOUSE_ID_PREFIX,
    LAYOUT,
    SHORTFALL,
    TICKETS,
    Account,
    Phase,
    SeatId,
    TableId,
    TicketId,
    is_concealed,
)
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Archive, Table, TableState

_TABLE_ACCOUNTS = {account: str(account) for account in (LAYOUT, HOUSE, CASHIER, TICKETS, SHORTFALL, GOODWILL)}
"""All accounts except those of the seats, with the names of their fields in the state."""
_OLDER_QUESTION = re.compile(
    r"The server restarted while the round was in the phase (?P<phase>\w+)\. What does the wheel show\?"
)
"""The question after a restart, as it was worded before format 3 of the journal."""


class Ledger:
    """Balances of all accounts, computed from postings."""

    def __init__(self, state: TableState) -> None:
        self.cents: dict[Account, int] = balances(state)

    def post(self, event: AnyEvent) -> set[Account] | str:
        """Post an event. Return the accounts that it changes, or a message if its postings do not balance."""
        total = 0
        changed = set()
        for account, cents in postings(event):
            self.cents[account] = self.cents.get(account, 0) + cents
            total += cents
            changed.add(account)
        return changed if not total else f"postings that add up to {total} cents"

    def difference(self, state: TableState, accounts: set[Account]) -> tuple[Account, int, int] | None:
        """Return the first account that differs, with its cents in this ledger and in the state. None if all agree."""
        for account in accounts:
            posted, in_state = self.cents.get(account, 0), _balance(state, account)
            if posted != in_state:
                return account, posted, in_state
        return None

    def any_difference(self, state: TableState) -> tuple[Account, int, int] | None:
        """Return the first of all accounts that differs, as ``difference`` does."""
        return self.difference(state, {*self.cents, *balances(state)})


def _balance(state: TableState, account: Account) -> int:
    if (field := _TABLE_ACCOUNTS.get(account)) is not None:
        return getattr(state, field) or 0
    seat = state.seats.get(SeatId(account.removeprefix("seat:")))
    return seat.credits if seat else 0


# After these events all accounts are compared, otherwise only the changed ones.
_ROUND_BOUNDARIES = (
    e.BetsOpened,
    e.RoundSettled,
    e.RoundVoided,
    e.RoundCorrected,
    e.RoundReversed,
    e.RoundReinstated,
    e.SeatDecided,
    e.StakeReturned,
    e.TableClosed,
)

_UNDER_PROTECTION = (c.BuyCredits, c.RedeemTicket, c.SetProtection, c.TakeBreak)

# Exceptions of apply and decide that mean an impossible entry. OSError and MemoryError are not among them.
_IMPOSSIBLE = (AssertionError, AttributeError, LookupError, TypeError, ValueError)


class Replay:
    """The replay of one table, from a given state."""

    def __init__(self, id: TableId, rulebooks: RulebookSet, game: Game, state: TableState, archive: Archive) -> None:
        self.id = id
        self._rulebooks = rulebooks
        self.table = Table(game, state, archive)
        self._ledger = Ledger(state)
        self._float = FloatCheck(state, self._ledger.cents)

    def check(self, entry: Entry) -> None:
        """Check an entry against the state of its table, and apply its events to the state."""
        self._check_facts(entry)
        self._check_decision(entry)
        changed: set[Account] = set()
        for event in entry.events:
            posted = self._ledger.post(event)
            if isinstance(posted, str):
                self._fail(entry.seq, "the postings of an event are not balanced", "a sum of 0 cents", posted)
            changed |= posted
            if (differs := self._float.add(event)) is not None:
                what = "the closer of a float differs from the postings since its opener"
                self._fail(entry.seq, what, f"{differs[0]} cents", f"{differs[1]} cents")
            try:
                apply(self.table, event, entry.facts.at)
            except _IMPOSSIBLE as error:
                self._fail(
                    entry.seq, "an event cannot have happened", "an event that is possible in this state", repr(error)
                )
        self._check_money(entry.seq, changed, any(isinstance(event, _ROUND_BOUNDARIES) for event in entry.events))

    def _check_facts(self, entry: Entry) -> None:
        facts, request, last = entry.facts, entry.request, self.table.state.last_event_at
        if facts.at < last:
            self._fail(entry.seq, "time goes back", f"an instant not before {last}", facts.at)
        if (facts.fresh_ticket is not None) is not isinstance(request, c.CashOut):
            what = "a new ticket number without a cash-out, or a cash-out without one"
            self._fail(entry.seq, what, "a new ticket number for CashOut only", facts)
        if facts.ticket is not None and not (
            isinstance(request, c.RedeemTicket) and facts.ticket.number == TicketId(request.ticket)
        ):
            self._fail(entry.seq, "a ticket that the request does not name", request, facts.ticket)
        concealed = facts.fresh_ticket is not None and is_concealed(facts.fresh_ticket)
        if (facts.salt is not None) is not concealed or (facts.ticket_life is not None and facts.fresh_ticket is None):
            what = "the salt or the life of a ticket without a new ticket, or a new ticket without its salt"
            self._fail(entry.seq, what, "a salt for a new ticket only", facts)
        adopts = request is None and any(isinstance(event, e.ProcedureAdopted) for event in entry.events)
        first = not self.table.state.by_evidence
        if facts.house is not None and not (first or isinstance(request, c.OpenTable)):
            what = "terms of the house without an opening of the table or an adopted procedure"
            self._fail(entry.seq, what, "terms for OpenTable or ProcedureAdopted only", facts)
        if adopts and facts.house is None:
            self._fail(entry.seq, "an adopted procedure without terms of the house", "terms of the house", facts)
        if facts.offers is not None and not isinstance(request, c.TakeSeat):
            self._fail(entry.seq, "offered packages without a seat that is taken", "offers for TakeSeat only", facts)
        if facts.protection is not None and not isinstance(request, _UNDER_PROTECTION):
            what = "the protection of Players in an entry that does not depend on it"
            self._fail(entry.seq, what, "protection for money and limits of a seat only", facts)
        if facts.carries_session and facts.fresh_ticket is None:
            self._fail(entry.seq, "a carried session without a new ticket", "a session for a new ticket only", facts)
        if facts.ball_on_line is not None and not isinstance(request, c.BallAtRest):
            self._fail(entry.seq, "a ball on the wheel's line without a reading", "a ball for BallAtRest only", facts)
        if facts.number_awaited and not isinstance(request, c.ConfirmResult):
            what = "an awaited number without a confirmation"
            self._fail(entry.seq, what, "an awaited number for ConfirmResult only", facts)
        if (facts.head is not None) is not isinstance(request, c.Dispute):
            self._fail(entry.seq, "a hash of the chain without a dispute, or a dispute without it", "both", facts)
        if facts.goodwill_max is not None and not isinstance(request, c.CloseDispute):
            self._fail(entry.seq, "a bound of goodwill without a dispute to close", "one for CloseDispute only", facts)
        if facts.dealer_gone and not isinstance(request, c.TakeTable):
            self._fail(entry.seq, "a Dealer who is gone without a new one", "one for TakeTable only", facts)
        if request is not None and self.table.state.by_evidence:
            self._check_sender(entry.seq, request)

    def _check_sender(self, seq: Seq, request: c.AnyCommand) -> None:
        """Check that a request is a program's exactly if its id has a reserved prefix.

        Earlier versions recorded the automatic dealer as a Dealer, so the first procedure has no such rule.
        """
        reserved = request.id.startswith((DEALER_ID_PREFIX, HOUSE_ID_PREFIX))
        if reserved is not (request.by in PROGRAMS):
            what = "a program's request without a reserved id, or a reserved id of another position"
            self._fail(seq, what, "a reserved id for programs only", f"{request.id} by {request.by}")

    def _check_decision(self, entry: Entry) -> None:
        if _is_stop(entry) or (_is_refused_for_wrong_money(entry) and self.table.state.phase is Phase.STOPPED):
            return
        expected: list[str] = []
        for table in self._possible_tables():
            decided = _decide(entry, table)
            if not isinstance(decided, str) and _same(decided, entry.decision):
                self.table = table
                return
            expected.append(decided if isinstance(decided, str) else _text(decided))
        what = "the recorded decision is not the one that the rules give"
        self._fail(entry.seq, what, expected[0], _text(entry.decision))

    def _possible_tables(self) -> Iterator[Table]:
        """Yield the table with its current rulebook and, if it is closed, with each other rulebook of its game."""
        yield self.table
        if self.table.state.phase_before_stop is Phase.CLOSED:
            for game in self._rulebooks.others(self.table.game):
                yield Table(game, self.table.state, self.table.archive)

    def _check_money(self, seq: Seq, changed: set[Account], all_accounts: bool) -> None:
        state, ledger = self.table.state, self._ledger
        difference = ledger.any_difference(state) if all_accounts else ledger.difference(state, changed)
        if difference is not None:
            account, posted, in_state = difference
            what = f"the account {account} differs from its postings"
            self._fail(seq, what, f"{posted} cents posted", f"{in_state} cents in the state")
        if all_accounts and (wrong := imbalance(state)):
            self._fail(seq, "the accounts of the table do not balance", "credits = money in − money out", wrong)

    def check_end(self, seq: Seq) -> None:
        self._check_money(seq, set(), True)

    def _fail(self, seq: Seq, what: str, expected: object, found: object) -> NoReturn:
        fail(what, expected=expected, found=found, table=self.id, entry=seq)


def _decide(entry: Entry, table: Table) -> Decision | str:
    """Decide an entry again. Return a message if the entry does not fit the state."""
    try:
        if entry.request is not None:
            return decide(table, entry.request, entry.facts)
        planned = bool(entry.events) and isinstance(entry.events[0], e.SoftwareStopped)
        events = stop_software(table) if planned else _recovered(table, entry)
    except _IMPOSSIBLE as error:
        return f"a request that fits the state, and not {error!r}"
    return Decision(events) if events else "a request: there is no round to recover"


def _recovered(table: Table, entry: Entry) -> list[AnyEvent]:
    """Recover a table again, by the procedure of the version that wrote the entry."""
    if entry.facts.house is None and not table.state.by_evidence:
        return first_procedure.recover(table)
    return recover(table, entry.facts.house or HouseTerms())


def _is_stop(entry: Entry) -> bool:
    """Return whether an entry records that the table stopped, after an internal error or an imbalance in its state.

    The replay cannot derive such a stop, because its own state is correct. The entry changes no account.
    """
    stops = len(entry.events) == 1 and isinstance(entry.events[0], e.TableStopped)
    return stops and entry.refusal is (None if entry.request is None else Refusal.TABLE_IS_STOPPED)


def _is_refused_for_wrong_money(entry: Entry) -> bool:
    """Return whether an entry refuses to resume a table because its accounts did not balance."""
    refused = entry.refusal is Refusal.TABLE_IS_STOPPED and not entry.events
    return refused and isinstance(entry.request, c.ResumeTable)


def _same(decided: Decision, recorded: Decision) -> bool:
    """Compare two decisions. The message of a refusal is not compared, because later versions may word it better."""
    if decided.refused is None or recorded.refused is None:
        recorded = Decision(list(map(_reworded, recorded.events)), recorded.refused)
        return decided == recorded or _is_older_resume(decided.events, recorded)
    now, then = decided.refused, recorded.refused
    return decided.events == recorded.events and (now.refusal, now.clause) == (then.refusal, then.clause)


def _reworded(event: e.AnyEvent) -> e.AnyEvent:
    """Return a referral after a restart in the words of this version, if an older version recorded it."""
    if isinstance(event, e.MatterReferred) and (found := _OLDER_QUESTION.fullmatch(event.question)):
        with suppress(ValueError, KeyError):
            return msgspec.structs.replace(event, question=question_after_restart(Phase(found["phase"])))
    return event


def _is_older_resume(decided: list[e.AnyEvent], recorded: Decision) -> bool:
    """Return whether an older version recorded the resumption without ``InterruptionRecovered(waits=True)``."""
    match decided:
        case [e.TableResumed(), e.InterruptionRecovered(waits=True)]:
            return recorded == Decision(decided[:1])
    return False


def _text(decision: Decision) -> str:
    return msgspec.json.encode(decision).decode()
