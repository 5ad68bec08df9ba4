"""The second book: every account from postings alone, held against the accounts of the state.

Postings and state are kept by different code, so that a mistake of one of them shows.

One table decided over again: every request on its recorded facts, every event applied, every cent posted twice.

A replay begins with a state and believes nothing that came of an entry: it derives it, and compares.
"""

from collections.abc import Iterator
from typing import NoReturn

import msgspec

from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import RulebookSet
from roundhouse.journal.entry import Entry, Seq
from roundhouse.rules.game import Game
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.apply import apply
from roundhouse.table.decide import decide
from roundhouse.table.decision import Decision
from roundhouse.table.events import AnyEvent
from roundhouse.table.ledger import balances, imbalance, postings
from roundhouse.table.lifecycle import recover
from roundhouse.table.names import CASHIER, HOUSE, LAYOUT, SHORTFALL, TICKETS, Account, Phase, SeatId, TableId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import Archive, Table, TableState

_OWN = {account: str(account) for account in (LAYOUT, HOUSE, CASHIER, TICKETS, SHORTFALL)}
"""The table's own accounts, and the names under which its state has them."""


class Ledger:
    def __init__(self, state: TableState) -> None:
        self._cents: dict[Account, int] = balances(state)

    def post(self, event: AnyEvent) -> set[Account] | str:
        """The accounts that an event touches, or what is wrong with its postings."""
        total = 0
        touched = set()
        for account, cents in postings(event):
            self._cents[account] = self._cents.get(account, 0) + cents
            total += cents
            touched.add(account)
        return touched if not total else f"postings that add up to {total} cents"

    def differs(self, state: TableState, accounts: set[Account]) -> tuple[Account, int, int] | None:
        """The first of these accounts that the state has otherwise: what was posted, what the state has."""
        for account in accounts:
            posted, kept = self._cents.get(account, 0), _balance(state, account)
            if posted != kept:
                return account, posted, kept
        return None

    def differs_anywhere(self, state: TableState) -> tuple[Account, int, int] | None:
        return self.differs(state, {*self._cents, *balances(state)})


def _balance(state: TableState, account: Account) -> int:
    if (kept := _OWN.get(account)) is not None:
        return int(getattr(state, kept))
    seat = state.seats.get(SeatId(account.removeprefix("seat:")))
    return seat.credits if seat else 0


# After these the whole of the money is looked at again, every seat of it.
_ROUND_BOUNDARIES = (e.BetsOpened, e.RoundSettled, e.RoundVoided, e.RoundCorrected, e.RoundReversed, e.TableClosed)

# What applying or deciding something that cannot be raises; a fault of the machine is not among them.
_NONSENSE = (AssertionError, AttributeError, LookupError, TypeError, ValueError)


class Replay:
    def __init__(self, id: TableId, shelf: RulebookSet, game: Game, state: TableState, archive: Archive) -> None:
        self.id = id
        self._shelf = shelf
        self.table = Table(game, state, archive)
        self._ledger = Ledger(state)

    def check(self, entry: Entry) -> None:
        """Everything about an entry that its table alone can tell. The state is then the one after it."""
        self._check_facts(entry)
        self._check_decision(entry)
        touched: set[Account] = set()
        for event in entry.events:
            posted = self._ledger.post(event)
            if isinstance(posted, str):
                self._fail(entry.seq, "the postings of an event are not balanced", "a sum of 0 cents", posted)
            touched |= posted
            try:
                apply(self.table, event, entry.facts.at)
            except _NONSENSE as bug:
                self._fail(entry.seq, "an event cannot have happened", "an event that fits the state", repr(bug))
        self._check_money(entry.seq, touched, any(isinstance(event, _ROUND_BOUNDARIES) for event in entry.events))

    def _check_facts(self, entry: Entry) -> None:
        facts, request, last = entry.facts, entry.request, self.table.state.last_event_at
        if facts.at < last:
            self._fail(entry.seq, "time goes back", f"an instant not before {last}", facts.at)
        if (facts.fresh_ticket is not None) is not isinstance(request, c.CashOut):
            self._fail(entry.seq, "a new ticket's number where none is needed, or none", "one to cash out", facts)
        if facts.ticket is not None and not (
            isinstance(request, c.RedeemTicket) and facts.ticket.number == request.ticket
        ):
            self._fail(entry.seq, "a ticket that the request does not name", request, facts.ticket)

    def _check_decision(self, entry: Entry) -> None:
        if _is_stop(entry) or (_is_refused_for_wrong_money(entry) and self.table.state.phase is Phase.STOPPED):
            return
        expected: list[str] = []
        for table in self._tables_that_may_count():
            decided = _decided(entry, table)
            if not isinstance(decided, str) and _same(decided, entry.decision):
                self.table = table
                return
            expected.append(decided if isinstance(decided, str) else _text(decided))
        what = "what came of a request is not what the rules give"
        self._fail(entry.seq, what, expected[0], _text(entry.decision))

    def _tables_that_may_count(self) -> Iterator[Table]:
        """The rulebook in play; and, while the table is closed, any other that it may next be opened with."""
        yield self.table
        if self.table.state.phase_before_stop is Phase.CLOSED:
            for game in self._shelf.others(self.table.game):
                yield Table(game, self.table.state, self.table.archive)

    def _check_money(self, seq: Seq, touched: set[Account], thoroughly: bool) -> None:
        state = self.table.state
        differs = self._ledger.differs_anywhere(state) if thoroughly else self._ledger.differs(state, touched)
        if differs is not None:
            account, posted, kept = differs
            self._fail(seq, f"the account {account}", f"{posted} cents by its postings", f"{kept} cents in the state")
        if thoroughly and (wrong := imbalance(state)):
            self._fail(seq, "the table's money does not balance", "credits = what came − what went", wrong)

    def check_end(self, seq: Seq) -> None:
        self._check_money(seq, set(), True)

    def _fail(self, seq: Seq, what: str, expected: object, found: object) -> NoReturn:
        fail(what, expected=expected, found=found, table=self.id, entry=seq)


def _decided(entry: Entry, table: Table) -> Decision | str:
    """What the rules make of an entry, or why they make nothing of it."""
    try:
        if entry.request is not None:
            return decide(table, entry.request, entry.facts)
        events = recover(table)
    except _NONSENSE as bug:
        return f"a request that fits the state, and not {bug!r}"
    return Decision(events) if events else "a request: there is no round to recover"


def _is_stop(entry: Entry) -> bool:
    """A table that met a bug of ours, or wrong money in its state, stops and says why. Nothing moves by that.

    The journal from which it is derived here is right, so that it would not have stopped here.
    """
    stops = len(entry.events) == 1 and isinstance(entry.events[0], e.TableStopped)
    return stops and entry.refusal is (None if entry.request is None else Refusal.TABLE_IS_STOPPED)


def _is_refused_for_wrong_money(entry: Entry) -> bool:
    """The same of a table that people would have let go on."""
    refused = entry.refusal is Refusal.TABLE_IS_STOPPED and not entry.events
    return refused and isinstance(entry.request, c.ResumeTable)


def _same(decided: Decision, recorded: Decision) -> bool:
    """By what was decided. The words of a refusal may be better today than they were, and the chain holds those."""
    if decided.refused is None or recorded.refused is None:
        return decided == recorded or _is_older_resume(decided.events, recorded)
    said, was = decided.refused, recorded.refused
    return decided.events == recorded.events and (said.refusal, said.clause) == (was.refusal, was.clause)


def _is_older_resume(decided: list[e.AnyEvent], recorded: Decision) -> bool:
    """A table went on before it was noted that a round which waits was interrupted by its stop."""
    match decided:
        case [e.TableResumed(), e.InterruptionRecovered(waits=True)]:
            return recorded == Decision(decided[:1])
    return False


def _text(decision: Decision) -> str:
    return msgspec.json.encode(decision).decode()
