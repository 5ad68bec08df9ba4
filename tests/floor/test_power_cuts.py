"""The process is killed at random moments under load; acknowledged requests survive and rounds are recovered."""

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.deal_process import Deal
from tests.support.random_script import CLAUSES, Script, entries_of, in_round, money

KILLS = 12


@pytest.mark.clause("rws-double-zero", "5.1.1", "5.1.2", "5.9")
@pytest.mark.clause("mbs-electronic-double-zero", "5.13.1", "5.13.2", "general law")
@pytest.mark.parametrize("game", list(CLAUSES))
def test_acknowledged_requests_survive_kills_and_no_payout_is_doubled(game: str, tmp_path: Path) -> None:
    dice = random.Random(f"cuts at {game}, night 0")
    path = tmp_path / "journal.db"
    acknowledged: dict[str, dict[str, Any]] = {}
    moments = set()
    table = Deal(path, game)
    script = Script(game, dice)
    assert all(answer["ok"] for answer in table.ask(*script.opening()))
    for _ in range(KILLS):
        for answer in table.kill_under_load(script.rounds(), dice.uniform(0.02, 0.3)):
            acknowledged[answer["id"]] = answer
        entries = entries_of(path, game)
        recorded = {str(entry.request.id): entry for entry in entries if entry.request is not None}
        for id, answer in acknowledged.items():
            assert id in recorded, f"{id} was acknowledged and is lost"
            assert recorded[id].seq == answer["version"]
            assert (recorded[id].refusal is None) == answer["ok"]
        open_round, rested = in_round(entries)
        moments.add((open_round, rested))

        table = Deal(path, game)
        recovered = table.ready["recovered"]
        assert bool(recovered) == open_round
        state = table.state()
        if open_round:
            concluded, asks = CLAUSES[game]
            assert recovered[0]["event"] == "interruption_recovered.v1"
            assert recovered[0]["clause"] == (concluded if rested else asks)
            assert recovered[0].get("asks", False) == (state["phase"] == "interrupted")
            assert not {"round_settled.v1", "round_voided.v1"} & {event["event"] for event in recovered}
            for answer in table.ask(*script.after_interruption(state["phase"], state["round"], state["outcome"])):
                acknowledged[answer["id"]] = answer
            state = table.state()
            recorded |= {str(e.request.id): e for e in entries_of(path, game) if e.request is not None}
        credits = money(entries_of(path, game))
        assert {seat: view["credits"] for seat, view in state["seats"].items() if seat in credits} == credits
        assert sum(state["accounts"].values()) == 0
        assert state["accounts"]["layout"] == 0
        assert state["phase"] in ("idle", "closed")
        for id in dice.sample(sorted(acknowledged), k=min(3, len(acknowledged))):
            (again,) = table.ask(msgspec.json.encode(recorded[id].request))
            assert again == acknowledged[id], "a resent request gets its first answer"
            (other,) = table.ask({"id": id, "by": "player", "do": "undo", "seat": "ghost"})
            assert other["refusal"] == "id_is_used"
    assert table.end()[0] == 0
    assert (True, False) in moments, "some kills hit a running round"
    assert len(acknowledged) > 20 * KILLS, "many requests were acknowledged"


@pytest.mark.clause("rws-double-zero", "5.1", "5.1.1", "5.1.2")
@pytest.mark.parametrize(
    ("last", "phase", "clause"),
    [
        ("place_bets", "interrupted", "5.1"),
        ("close_bets", "interrupted", "5.1"),
        ("start_spin", "interrupted", "5.1"),
        ("ball_at_rest", "at_rest", "5.1.1"),
        ("register_result", "registered", "5.1.1"),
    ],
)
def test_a_kill_in_each_phase_is_recovered_by_the_clause_of_that_phase(
    tmp_path: Path, last: str, phase: str, clause: str
) -> None:
    """The table asks what the wheel shows. Two persons say that nothing stands, or people go on with the round."""
    path = tmp_path / "journal.db"
    table = Deal(path)
    steps: list[dict[str, Any]] = [
        {"by": "dealer", "do": "open_table"},
        {"by": "player", "do": "take_seat", "seat": "s1", "terminal": "rapid-a"},
        {"by": "player", "do": "buy_credits", "seat": "s1", "cents": 10_000},
        {"by": "dealer", "do": "open_bets"},
        {"by": "player", "do": "place_bets", "seat": "s1", "bets": [{"position": "red", "cents": 1000}]},
        {"by": "dealer", "do": "close_bets"},
        {"by": "dealer", "do": "start_spin"},
        {"by": "dealer", "do": "ball_at_rest", "outcome": "1"},
        {"by": "dealer", "do": "register_result", "outcome": "1"},
    ]
    for n, step in enumerate(steps):
        assert table.ask({"id": f"r{n}", **step})[0]["ok"]
        if step["do"] == last:
            break
    table.kill()
    table = Deal(path)
    (recovered,) = table.ready["recovered"]
    assert (recovered["event"], recovered["clause"]) == ("interruption_recovered.v1", clause)
    state = table.state()
    assert (state["phase"], state["seats"]["s1"]["credits"]) == (phase, 9_000)
    script = Script("rws-double-zero", random.Random(0))
    script.count = 100
    answers = table.ask(*script.after_interruption(phase, 1, state["outcome"]))
    assert all(answer["ok"] for answer in answers), answers
    assert answers[-1]["events"][0]["event"] == ("round_voided.v1" if phase == "interrupted" else "result_confirmed.v1")
    assert table.state()["seats"]["s1"]["credits"] == (10_000 if phase == "interrupted" else 11_000)
    table.end()
