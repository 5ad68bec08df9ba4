"""Reads past rounds from the journal through a separate read-only connection. Called in threads.

A terminal gets the data of its seat only, without totals of other seats.
"""

from pathlib import Path

import msgspec

from roundhouse.audit.capsule import NoSuchRound
from roundhouse.audit.explain import RoundStory, story_of
from roundhouse.audit.journal_file import JournalFile
from roundhouse.audit.round_evidence import from_journal
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
    """Return up to ``count`` finished rounds, from ``last`` down to ``first``.

    Stakes and returns are included for all seats if ``all_seats`` is set, otherwise for ``seat`` only.
    """
    store = SqliteStore(journal, read_only=True)
    try:
        rounds: list[PastRound] = []
        number = last
        while number >= first and len(rounds) < count:
            stored = store.round(table, number)
            if stored is not None:
                rounds.append(audience.past_round(_decode_record(stored.record), seat, all_seats))
            number = RoundNumber(number - 1)
        return History(table, tuple(rounds), RoundNumber(number + 1) if number >= first else None)
    finally:
        store.close()


class _Outcome(msgspec.Struct):
    """The fields of a stored round that a wheel report needs."""

    number: RoundNumber
    outcome: Pocket | None
    rulebook: str


_decode_outcome = msgspec.msgpack.Decoder(_Outcome).decode


def outcomes(
    journal: Path, table: TableId, last: RoundNumber, count: int, rulebook: str
) -> list[tuple[RoundNumber, Pocket | None]]:
    """Return the outcomes of the ``count`` rounds up to ``last``, oldest first. None is a void round.

    Leaves out rounds of other rulebooks, which may have another wheel.
    """
    store = SqliteStore(journal, read_only=True)
    try:
        stored = (store.round(table, RoundNumber(number)) for number in range(max(1, last - count + 1), last + 1))
        found = (_decode_outcome(one.record) for one in stored if one is not None)
        return [(one.number, one.outcome) for one in found if one.rulebook == rulebook]
    finally:
        store.close()


def recall(
    journal: Path, table: TableId, number: RoundNumber, seat: SeatId | None, rulebooks: dict[str, Game]
) -> RoundStory | None:
    """Explain a round, completely or for one seat. Return None if there is no such round.

    ``rulebooks`` is a cache by hash, because parsing a rulebook is the slowest part.
    """
    file = JournalFile(journal)
    try:
        evidence = from_journal(file, table, number, rulebooks)
    except NoSuchRound:
        return None
    finally:
        file.close()
    if seat is None:
        return story_of(evidence)
    visible = list(audience.entries_in_history(evidence.entries, seat))
    return story_of(evidence._replace(entries=visible), seat)
