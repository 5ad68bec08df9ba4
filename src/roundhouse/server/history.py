"""Rounds of the past, read from the journal's file beside its writer: history, and the whole story of one round.

A terminal is told its own share, and of the others not even a total. Reading is done in threads, so that nobody at
a table waits for it.
"""

from pathlib import Path

import msgspec

from roundhouse.audit.capsule import NoSuchRound
from roundhouse.audit.explain import RoundStory, from_journal, story_of
from roundhouse.audit.journal_file import JournalFile
from roundhouse.floor import audience
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.rules.game import Game
from roundhouse.rules.names import Pocket
from roundhouse.table.names import RoundNumber, SeatId, TableId
from roundhouse.table.state import RoundRecord
from roundhouse.wire.tables import History, PastRound

_decode_record = msgspec.msgpack.Decoder(RoundRecord).decode
MAX_ROUNDS = 200


def history(
    journal: Path,
    table: TableId,
    last: RoundNumber,
    count: int,
    seat: SeatId | None,
    all_seats: bool,
    first: RoundNumber,
) -> History:
    """Up to ``count`` rounds, from ``last`` down to ``first``. A round that is in progress is not among them."""
    store = SqliteStore(journal, read_only=True)
    try:
        rounds: list[PastRound] = []
        number = last
        while number >= first and len(rounds) < count:
            stored = store.round(table, number)
            if stored is not None:
                rounds.append(audience.past_round(_decode_record(stored), seat, all_seats))
            number = RoundNumber(number - 1)
        return History(table, tuple(rounds), RoundNumber(number + 1) if number >= first else None)
    finally:
        store.close()


class _Outcome(msgspec.Struct):
    """As much of a past round as its wheel is answerable for."""

    number: RoundNumber
    outcome: Pocket | None
    rulebook: str


_decode_outcome = msgspec.msgpack.Decoder(_Outcome).decode


def outcomes(
    journal: Path, table: TableId, last: RoundNumber, count: int, rulebook: str
) -> list[tuple[RoundNumber, Pocket | None]]:
    """What came in up to ``count`` rounds up to ``last``, oldest first.

    Only of rounds that were played by this rulebook, because another may have another wheel.
    """
    store = SqliteStore(journal, read_only=True)
    try:
        stored = (store.round(table, RoundNumber(number)) for number in range(max(1, last - count + 1), last + 1))
        found = (_decode_outcome(one) for one in stored if one is not None)
        return [(one.number, one.outcome) for one in found if one.rulebook == rulebook]
    finally:
        store.close()


def recall(
    journal: Path, table: TableId, number: RoundNumber, seat: SeatId | None, read: dict[str, Game]
) -> RoundStory | None:
    """What happened in a round and why: all of it, or one seat's share. Nothing where there is no such round.

    ``read`` keeps the rulebooks that were read before: reading one takes longer than all the rest.
    """
    file = JournalFile(journal)
    try:
        evidence = from_journal(file, table, number, read)
    except NoSuchRound:
        return None
    finally:
        file.close()
    if seat is None:
        return story_of(evidence)
    own = list(audience.entries_in_history(evidence.entries, seat))
    return story_of(evidence._replace(entries=own), seat)
