"""A table's process is killed again and again, and each kill is checked by the entries that it has left.

``test_power_cuts.py`` reads the whole journal after each kill. This test reads the new entries only, so that `make
soak` can kill thousands of processes.
"""

import random
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import read_key
from tests.support.deal_process import Deal
from tests.support.fork_server import ForkedProcess
from tests.support.history import History, Stage
from tests.support.random_script import CLAUSES, Script
from tests.support.soak import SOAK, Counted, Tally, times

PARTS, KILLS = times(1, 10), 60 if SOAK else 6
LONGEST_SECONDS, LONGEST_OPENING_SECONDS = 0.02, 0.12
"""A process is killed this long after its table is ready, or after its start, or earlier."""


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("game", list(CLAUSES))
def test_no_kill_loses_an_acknowledged_request_or_a_cent(game: str, part: int, tmp_path: Path, tally: Tally) -> None:
    path = tmp_path / "journal.db"
    dice = random.Random(f"kills at {game}, part {part}")
    history, script = History(path, game), Script(game, dice)
    table = Deal(path, game)
    answers = {answer["id"]: answer for answer in table.ask(*script.opening())}
    assert all(answer["ok"] for answer in answers.values())
    for _ in range(KILLS):
        new = {
            answer["id"]: answer for answer in table.kill_under_load(script.rounds(), dice.uniform(0, LONGEST_SECONDS))
        }
        history.read()
        tally.add(Counted.TABLE_KILLED, detail=history.stage)
        _check(new, history, tally)
        answers |= new
        stage = history.stage
        if opening := dice.random() < 0.25:
            _kill_while_opening(path, game, dice.uniform(0, LONGEST_OPENING_SECONDS))
            history.read()
            tally.add(Counted.TABLE_KILLED, detail="opening its journal")
        table = Deal(path, game)
        if not opening:
            _check_recovery(table, game, stage)
        state = table.state()
        answers |= {one["id"]: one for one in table.ask(*_ending(script, state))}
        for id in dice.sample(sorted(answers), k=min(3, len(answers))):
            if id in history.recorded:
                (again,) = table.ask(msgspec.json.encode(history.recorded[id].request))
                assert again == answers[id], "a resent request gets its first answer"
                tally.add(Counted.RESENT)
        state = table.state()
        assert state["phase"] in ("idle", "closed")
        assert state["accounts"]["layout"] == sum(state["accounts"].values()) == 0
        history.read()
        assert {seat: state["seats"][seat]["credits"] for seat in history.credits} == history.credits
    _check(answers, history, Tally())
    assert table.end()[0] == 0
    proven = verify_journal(path, read_key(path))
    assert proven.verifies


def _kill_while_opening(path: Path, game: str, seconds: float) -> None:
    process = ForkedProcess("deal", "--game", game, "--journal", str(path))
    time.sleep(seconds)
    process.close()


def _check(answers: dict[str, dict[str, Any]], history: History, tally: Tally) -> None:
    """Check that every answer that the killed process has given is in the journal."""
    for id, answer in answers.items():
        assert id in history.recorded, f"{id} was acknowledged and is lost"
        entry = history.recorded[id]
        assert (entry.seq, entry.refusal is None) == (answer["version"], answer["ok"])
        if any(event["event"] == "bets_placed.v1" for event in answer.get("events", ())):
            tally.add(Counted.BETS_FOUND, detail="of a table")
    tally.add(Counted.ACKNOWLEDGED_FOUND, len(answers), "of a table")


def _check_recovery(table: Deal, game: str, stage: Stage) -> None:
    recovered = table.ready["recovered"]
    assert bool(recovered) == (stage is not Stage.BETWEEN_ROUNDS)
    if recovered:
        concluded, asks = CLAUSES[game]
        assert recovered[0]["event"] == "interruption_recovered.v1"
        assert recovered[0]["clause"] == (concluded if stage is Stage.AT_REST else asks)
        assert not {"round_settled.v1", "round_voided.v1"} & {event["event"] for event in recovered}


def _ending(script: Script, state: dict[str, Any]) -> list[dict[str, Any]]:
    """List the requests that end the round, and buy credits to have something to write."""
    return [*script.after_interruption(state["phase"], state["round"], state["outcome"]), *script.money()[:2]]
