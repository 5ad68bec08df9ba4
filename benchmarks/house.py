"""Benchmark of the house: the permission check of a bet, compared with decoding the bet's request."""

import tempfile
from pathlib import Path

from benchmarks.timing import compare
from roundhouse.config.demo import demo_configuration
from roundhouse.floor.permissions import refuse_terminal
from roundhouse.house.house import House
from roundhouse.house.terminals import TerminalKey
from roundhouse.house.writer import run_inline
from roundhouse.journal.entry import Answer
from roundhouse.journal.seal import Key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.table.names import Millis
from roundhouse.table.state import Archive, RoundRecord
from roundhouse.wire.requests import decode_command

AT = Millis(1_700_000_000_000)


class _NoRounds(Archive):
    def round(self, number: object) -> None:
        return None

    def keep(self, record: RoundRecord) -> None:
        raise NotImplementedError


def _request(seat: str) -> bytes:
    return (
        b'{"id":"r1","do":"place_bets","by":"player","seat":"%s","bets":'
        b'[{"position":"straight:17","cents":500},{"position":"red","cents":1000}]}' % seat.encode()
    )


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = demo_configuration(Path(folder))
        store = SqliteStore(settings.journal)
        house = House(store, Key(bytes(32)), settings)
        id = next(iter(settings.games))
        for _ in range(1000):
            enrolled = run_inline(house.terminals.guest(id, None, "127.0.0.1", AT))
        assert isinstance(enrolled, TerminalKey)
        line = _request(enrolled.terminal.seat)
        command = decode_command(line)
        assert not isinstance(command, Answer)
        terminal, is_enrolled = enrolled.terminal, house.terminals.is_enrolled
        assert refuse_terminal(terminal, is_enrolled(terminal.number), id, command) is None
        compare(
            "checking the permission of a bet / decoding its request",
            lambda: refuse_terminal(terminal, is_enrolled(terminal.number), id, command),
            lambda: decode_command(line),
            allowed=1,
            times=2000,
        )
        store.close()
