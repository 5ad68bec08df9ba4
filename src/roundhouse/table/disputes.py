"""Decides disputes: a Player contests a round, and the person whom the rulebook names closes the dispute.

A dispute never blocks the table. It freezes what was on record by two hashes: of the chain, and of the round's record.
The money of the round is changed by corrections and decisions only. Goodwill is paid beside them, by two persons.
"""

import hashlib
from typing import Final

import msgspec
from msgspec import UNSET

from roundhouse.rules.authority import may_decide
from roundhouse.rules.names import MAX_STAKE_CENTS, Cents, Pocket, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.corrections import past_round, returned_to, stake_of
from roundhouse.table.decision import IN_ROUND, Decision, Facts, refuse, source_of, with_second_person
from roundhouse.table.desk_state import DisputeRegister
from roundhouse.table.ledger import imbalance
from roundhouse.table.names import Contested, DisputeNumber, Phase, RoundNumber, SeatId
from roundhouse.table.refusals import Refusal
from roundhouse.table.state import RoundRecord, Table, TableState

MAX_OPEN_DISPUTES: Final = 3
"""Largest number of open disputes of one seat."""
MAX_WORDS: Final = 300
"""Largest length of a Player's words, in characters."""
MAX_REASON: Final = 1000
"""Largest length of a reason in this package, in characters."""
KEPT_CLOSED: Final = 3
"""Number of closed disputes in the state of a seat, so that its terminal can tell what became of them."""


def register_of(state: TableState) -> DisputeRegister:
    """Return the disputes of a table. They are not stored before the first one."""
    return state.disputes or DisputeRegister()


def digest_of(record: RoundRecord) -> str:
    """Return the SHA-256 of the record of a round as JSON.

    >>> digest_of(RoundRecord(RoundNumber(1), None, {}, {}))[:16]
    '7a45c15e29148d0f'
    """
    return hashlib.sha256(msgspec.json.encode(record)).hexdigest()


def dispute(table: Table, command: c.Dispute, facts: Facts) -> Decision:
    state, decides, words = table.state, table.game.rulebook.authority.decides, command.words.strip()
    seat, found = state.seats.get(command.seat), register_of(state)
    if seat is None:
        return refuse(Refusal.NO_SUCH_SEAT)
    in_progress = _in_progress(state, command.round)
    record = None if in_progress else past_round(table, command.round)
    if record is None and not in_progress:
        return refuse(Refusal.NO_SUCH_ROUND)
    of_seat = [one for one in found.open.values() if one.seat == command.seat]
    if any(one.round == command.round for one in of_seat):
        return refuse(Refusal.ALREADY_DISPUTED, decides.clause, "this seat has an open dispute about the round")
    if len(of_seat) >= MAX_OPEN_DISPUTES:
        reason = f"a seat may have {MAX_OPEN_DISPUTES} open disputes; wait until one is closed"
        return refuse(Refusal.TOO_MANY_DISPUTES, decides.clause, reason)
    if command.about is Contested.OTHER and not words:
        return refuse(Refusal.NO_REASON_GIVEN, decides.clause, "say what the dispute is about")
    if len(words) > MAX_WORDS:
        return refuse(Refusal.TEXT_IS_TOO_LONG, reason=f"at most {MAX_WORDS} characters, not {len(words)}")
    by_staff = None if command.by is StaffPosition.PLAYER else source_of(command)
    outcome, staked, returned = _on_record(record, command.seat)
    disputed = e.Disputed(
        DisputeNumber(found.last + 1),
        command.round,
        command.seat,
        command.about,
        facts.head or "",
        decides.position,
        decides.clause,
        words,
        outcome,
        Cents(seat.on_layout if in_progress else staked),
        returned,
        "" if record is None else digest_of(record),
        by_staff,
    )
    return Decision([disputed])


def _in_progress(state: TableState, number: RoundNumber) -> bool:
    return number == state.round and state.phase in (*IN_ROUND, Phase.INTERRUPTED, Phase.REFERRED)


def _on_record(record: RoundRecord | None, seat: SeatId) -> tuple[Pocket | None, Cents, Cents]:
    """Return the outcome, the stake and the returned amount of a seat in a past round."""
    if record is None or seat not in record.slips:
        return (None if record is None else record.outcome), Cents(0), Cents(0)
    return record.outcome_of(seat), Cents(stake_of(record, seat)), Cents(returned_to(record, seat))


def close_dispute(table: Table, command: c.CloseDispute, facts: Facts) -> Decision:
    """Close a dispute. Goodwill needs a second person, and so does a dispute that the sender wrote down."""
    state, authority = table.state, table.game.rulebook.authority
    clause = authority.decides.clause
    if not may_decide(authority, command.by):
        return refuse(Refusal.NOT_AUTHORISED, clause, f"this command is for the {authority.decides.position}")
    found = register_of(state).open.get(command.dispute)
    if found is None:
        return refuse(Refusal.NO_SUCH_DISPUTE, clause)
    if refused := refuse_text(command.reason, "write the answer to the Player"):
        return refused
    if not 0 <= command.paid <= MAX_STAKE_CENTS:
        return refuse(Refusal.BAD_AMOUNT)
    if facts.goodwill_max is not None and command.paid > facts.goodwill_max:
        reason = f"the house pays at most {facts.goodwill_max} cents of goodwill, not {command.paid}"
        return refuse(Refusal.ABOVE_GOODWILL, reason=reason)
    if command.paid and (wrong := imbalance(state)):
        return Decision([e.TableStopped(wrong)], refuse(Refusal.TABLE_IS_STOPPED, reason=wrong).refused)
    source = source_of(command)
    record = None if _in_progress(state, found.round) else past_round(table, found.round)
    _, _, returned = _on_record(record, found.seat)
    closed = e.DisputeClosed(
        found.number,
        found.round,
        found.seat,
        command.reason.strip(),
        command.by,
        clause,
        command.paid,
        returned,
        source.who,
        source.second,
    )
    decision = Decision([closed])
    if command.paid:
        return with_second_person(command, decision, "paying goodwill")
    if found.source is not None and found.source.may_be(source):
        return with_second_person(command, decision, "closing a dispute that one has written down oneself")
    return decision


def question_display(table: Table, command: c.QuestionDisplay, facts: Facts) -> Decision:
    """Put a question about a display on record. The outcome of the table prevails, so nothing else changes."""
    number = RoundNumber(0) if command.round is UNSET else command.round
    if command.round is not UNSET and not _in_progress(table.state, number) and past_round(table, number) is None:
        return refuse(Refusal.NO_SUCH_ROUND)
    if refused := refuse_text(command.words, "say what the display showed"):
        return refused
    return Decision([e.DisplayQuestioned(command.words.strip(), number)])


def refuse_text(text: str, remedy: str) -> Decision | None:
    """Refuse a text of staff that is empty or too long."""
    if not text.strip():
        return refuse(Refusal.NO_REASON_GIVEN, reason=remedy)
    if len(text) > MAX_REASON:
        return refuse(Refusal.TEXT_IS_TOO_LONG, reason=f"at most {MAX_REASON} characters, not {len(text)}")
    return None
