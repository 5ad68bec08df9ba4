"""The plug is pulled at random moments under load; the journal and the rulebook's clauses decide what holds."""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.journal.entry import Entry, Seq, decode, link
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.table import events as e
from roundhouse.table.names import TableId
from tests.support.deal_process import Deal

KILLS = 12
NIGHTS = 30 if os.environ.get("ROUNDHOUSE_TESTS") == "soak" else 1
"""After each cut the whole journal is read again: many short nights cost less than a long one."""
CLAUSES = {
    "rws-double-zero": ("5.1.1", "5.1.2"),
    "mbs-electronic-double-zero": ("5.13.2", "5.13.1"),
    "mbs-sands": ("general law", "general law"),
}
SEATS = [f"s{n}" for n in range(40)]
TERMINALS = {"rws-double-zero": "rapid-a", "mbs-electronic-double-zero": "racetrack", "mbs-sands": "table"}


class Script:
    """An endless night at a table: every request has an id of its own, and nothing waits for answers."""

    def __init__(self, game: str, dice: random.Random) -> None:
        self.game, self.dice, self.count = game, dice, 0

    def request(self, do: str, by: str = "dealer", **fields: Any) -> dict[str, Any]:
        self.count += 1
        return {"id": f"r{self.count}", "by": by, "do": do, **fields}

    def opening(self) -> list[dict[str, Any]]:
        terminal = TERMINALS[self.game]
        seats = [self.request("take_seat", "player", seat=seat, terminal=terminal) for seat in SEATS]
        return [self.request("open_table"), *seats, *self.money()]

    def money(self) -> list[dict[str, Any]]:
        return [self.request("buy_credits", "player", seat=seat, cents=100_000) for seat in SEATS]

    def rounds(self) -> Iterator[list[dict[str, Any]]]:
        """Round after round, in handfuls: some requests wait together, some come alone."""
        while True:
            waiting = [*self.round(), *self.money()]
            while waiting:
                size = self.dice.choice([1, 2, 5, 20])
                yield waiting[:size]
                waiting = waiting[size:]

    def round(self) -> list[dict[str, Any]]:
        dice = self.dice
        bets = []
        for seat in dice.choices(SEATS, k=60):
            position = dice.choice(
                ["red", "even", "straight:17", "split:0-00" if "S" not in self.game else "low", "dozen:2"]
            )
            if self.game == "mbs-sands" and position == "split:0-00":
                position = "split:0-00"
            chips = [{"position": position, "cents": dice.choice([100, 500, 2500])}]
            bets.append(self.request("place_bets", "player", seat=seat, bets=chips))
        bets += [self.request("undo", "player", seat=dice.choice(SEATS)) for _ in range(5)]
        outcome = dice.choice(["17", "0", "00", "2", "36"])
        close, spin = self.request("close_bets"), self.request("start_spin")
        turned = [spin, close] if self.game == "mbs-sands" else [close, spin]
        return [
            self.request("open_bets"),
            *bets,
            *turned,
            self.request("observe_spin", ball="clockwise", wheel="anticlockwise", revolutions=7, seen=[]),
            self.request("ball_at_rest", outcome=outcome),
            self.request("register_result", outcome=outcome),
            self.request("confirm_result"),
            self.request("cash_out", "player", seat=dice.choice(SEATS)),
            self.request("buy_credits", "player", seat=dice.choice(SEATS), cents=50_000),
        ]


def entries_of(path: Path, game: str) -> list[Entry]:
    """What the journal holds after the cut, with its chain checked here once more."""
    store = SqliteStore(path, read_only=True)
    entries, hash, expected = [], bytes(32), 1
    for row in store.rows(TableId(game)):
        assert (row.seq, row.hash) == (expected, link(hash, row.body))  # type: ignore[arg-type]
        hash, expected = row.hash, Seq(expected + 1)
        entries.append(decode(row.body))
    store.close()
    return entries


def money(entries: list[Entry]) -> dict[str, int]:
    """Credits of each seat by a plain reading of the events."""
    credits: dict[str, int] = {}
    for entry in entries:
        for event in entry.events:
            match event:
                case e.CreditsBought(seat, cents) | e.TicketRedeemed(seat, cents):
                    credits[seat] = credits.get(seat, 0) + cents
                case e.BetsPlaced(seat, bets):
                    credits[seat] -= sum(bets.values())
                case e.BetsWithdrawn(seat, bets):
                    credits[seat] += sum(bets.values())
                case e.RoundSettled():
                    for seat, (_, back) in event.seats.items():
                        credits[seat] += back
                case e.RoundVoided():
                    for seat, back in event.seats.items():
                        credits[seat] += back
                case e.CashedOut(seat, cents):
                    credits[seat] -= cents
                case _:
                    pass
    return credits


def in_round(entries: list[Entry]) -> tuple[bool, bool]:
    """Whether a round was running, and whether its ball had come to rest."""
    open_round = rested = False
    for entry in entries:
        for event in entry.events:
            if isinstance(event, e.BetsOpened):
                open_round, rested = True, False
            elif isinstance(event, e.BallRested):
                rested = True
            elif isinstance(event, e.RoundSettled | e.RoundVoided):
                open_round = rested = False
    return open_round, rested


@pytest.mark.clause("rws-double-zero", "5.1.1", "5.1.2", "5.9")
@pytest.mark.clause("mbs-electronic-double-zero", "5.13.1", "5.13.2", "general law")
@pytest.mark.parametrize("night", range(NIGHTS))
@pytest.mark.parametrize("game", list(CLAUSES))
def test_nothing_acknowledged_is_lost_and_nothing_is_paid_twice(game: str, night: int, tmp_path: Path) -> None:
    dice = random.Random(f"cuts at {game}, night {night}")
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
        if open_round:
            concluded, void = CLAUSES[game]
            assert recovered[0]["event"] == "interruption_recovered.v1"
            assert recovered[0]["clause"] == (concluded if rested else void)
            assert recovered[1]["event"] == ("round_settled.v1" if rested else "round_voided.v1")
        state = table.state()
        credits = money(entries_of(path, game))
        assert {seat: shown["credits"] for seat, shown in state["seats"].items() if seat in credits} == credits
        assert sum(state["accounts"].values()) == 0
        assert state["accounts"]["layout"] == 0
        assert state["phase"] in ("idle", "closed")
        for id in dice.sample(sorted(acknowledged), k=min(3, len(acknowledged))):
            (again,) = table.ask(msgspec.json.encode(recorded[id].request))
            assert again == acknowledged[id], "a resent request gets its first answer"
            (other,) = table.ask({"id": id, "by": "player", "do": "undo", "seat": "nobody"})
            assert other["refusal"] == "id_is_used"
    assert table.end()[0] == 0
    assert (True, False) in moments, "some cuts came while a round was running"
    assert len(acknowledged) > 20 * KILLS, "there was a load"


@pytest.mark.clause("rws-double-zero", "5.1.1", "5.1.2")
@pytest.mark.parametrize(
    ("last", "event", "clause"),
    [
        ("open_bets", "round_voided.v1", "5.1.2"),
        ("close_bets", "round_voided.v1", "5.1.2"),
        ("start_spin", "round_voided.v1", "5.1.2"),
        ("ball_at_rest", "round_settled.v1", "5.1.1"),
        ("register_result", "round_settled.v1", "5.1.1"),
    ],
)
def test_a_cut_in_each_phase(tmp_path: Path, last: str, event: str, clause: str) -> None:
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
        if step["do"] == last and last != "open_bets":
            break
        if last == "open_bets" and step["do"] == "place_bets":
            break
    table.kill()
    table = Deal(path)
    assert [found["event"] for found in table.ready["recovered"]] == ["interruption_recovered.v1", event]
    assert table.ready["recovered"][0]["clause"] == clause
    assert table.state()["seats"]["s1"]["credits"] == (11_000 if event == "round_settled.v1" else 10_000)
    table.end()
