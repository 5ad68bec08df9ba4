"""Witnesses that answer late, contradict themselves, trust another key or have lost their memory."""

import asyncio
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from roundhouse.config.loading import Configuration, read
from roundhouse.floor.house_notary import describe_restoration
from roundhouse.floor.logs import JournalLogs
from roundhouse.floor.opening import CannotOpen
from roundhouse.floor.witnesses import Contradiction, WitnessLine
from roundhouse.journal.signing import public_path, signing_path
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.office.backup import back_up, restore
from roundhouse.tlog.note import Note
from roundhouse.tlog.request import AddCheckpoint
from roundhouse.witness.answer import Status, WitnessAnswer
from roundhouse.witness.keys import read_signer
from tests.floor.test_house_notary import House, issue
from tests.floor.test_witnessing import files, play, put_back
from tests.support.command_line import Calling
from tests.support.journals import ROULETTE
from tests.support.running_house import TOML


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "house.db"


def run_house(configuration: Configuration, number: int) -> list[str]:
    """Open the house, issue a ticket and close it. Return the alerts about witnesses."""

    async def run() -> list[str]:
        house = House(configuration, number)
        await house.running.start()
        await issue(house, 100)
        found = house.alerts("witness")
        await house.running.close("the test has ended")
        return found

    return asyncio.run(run())


def test_a_journal_from_before_its_key_was_replaced_is_refused(tmp_path: Path, call: Calling) -> None:
    """The old key is kept as a file, and a copy of the data folder contains it. The witness trusts only the new one."""
    file = tmp_path / "house.toml"
    text = TOML.format(wheel="none", automatic="false", min_cents=500, game="rws-double-zero")
    file.write_text(text.replace('data = "data"', 'data = "data"\nwitness = "witness"'))
    configuration = read(file)
    journal = configuration.journal
    run_house(configuration, 0)
    older = files(journal)
    assert call("house", "rekey", "--config", str(file))[0] == 0
    run_house(configuration, 100)
    newest = files(journal)
    put_back(journal, older)
    with pytest.raises(CannotOpen, match=r"another signing key .* trusts another key of this house, so it cosigns"):
        run_house(configuration, 200)
    # The message names the remedy for an intended restoration. It does not let a roll-back pass.
    assert call("witness", "trust", str(tmp_path / "witness"), str(public_path(journal)))[0] == 0
    with pytest.raises(CannotOpen, match="was set back to an older state"):
        run_house(configuration, 300)
    put_back(journal, newest)
    assert call("witness", "trust", str(tmp_path / "witness"), str(public_path(journal)))[0] == 0
    assert run_house(configuration, 400) == []


def test_a_witness_that_has_lost_its_memory_is_reported(path: Path, tmp_path: Path) -> None:
    play(path)
    shutil.rmtree(tmp_path / "witness")
    (sentence,) = play(path, first=10).sentences()
    assert "has lost its memory, or was set back" in sentence
    assert play(path, first=20).sentences() == []


def test_the_lost_span_is_unknown_while_a_witness_does_not_answer(path: Path, tmp_path: Path) -> None:
    """The witness that answers may have been restored together with the journal."""
    local = str(tmp_path / "witness")
    play(path, local)
    back_up(path, tmp_path / "backup.db")
    shutil.rmtree(path.parent)
    restore(tmp_path / "backup.db", path.parent)
    lost = play(path, local, "http://127.0.0.1:9", first=100).lost
    assert lost is not None
    assert (lost.known, lost.witnessed) == (False, {})
    assert "not all have answered; 0 tickets" in describe_restoration(1, lost, ())


class ScriptedWitness:
    """A witness whose answers a test gives, one function for each call of ``submit``."""

    place = "scripted"

    def __init__(self, *answers: Callable[[AddCheckpoint], WitnessAnswer]) -> None:
        self.answers = list(answers)

    def submit(self, requests: Sequence[AddCheckpoint]) -> list[WitnessAnswer]:
        answer = self.answers.pop(0)
        return [answer(request) for request in requests]

    def announce(self, note: Note) -> WitnessAnswer:
        return WitnessAnswer(Status.UNREACHABLE)

    def close(self) -> None:
        pass


def conflict(size: int) -> Callable[[AddCheckpoint], WitnessAnswer]:
    return lambda _: WitnessAnswer(Status.CONFLICT, size=size)


def fork(_: AddCheckpoint) -> WitnessAnswer:
    return WitnessAnswer(Status.INCONSISTENT)


def silence(_: AddCheckpoint) -> WitnessAnswer:
    return WitnessAnswer(Status.UNREACHABLE, "no answer")


def test_a_fork_stays_refused_if_the_witness_falls_silent(path: Path) -> None:
    play(path)
    store = SqliteStore(path)
    try:
        logs = JournalLogs(store, read_signer(signing_path(path)))
        line = WitnessLine(ScriptedWitness(fork, silence), logs)
        reply = line.submit(logs.sign_heads([ROULETTE]), logs.recompute)
        assert [one.kind for one in reply.refusals] == [Contradiction.FORKED]
    finally:
        store.close()


def test_a_witness_that_names_another_size_each_time_has_cosigned_nothing(path: Path) -> None:
    play(path)
    store = SqliteStore(path)
    try:
        logs = JournalLogs(store, read_signer(signing_path(path)))
        line = WitnessLine(ScriptedWitness(conflict(1), conflict(2), conflict(1), conflict(2)), logs)
        reply = line.submit(logs.sign_heads([ROULETTE]))
        assert (reply.refusals, reply.cosigned) == ([], [])
        assert reply.problem == "the witness scripted names another size of the same log at every request"
    finally:
        store.close()
