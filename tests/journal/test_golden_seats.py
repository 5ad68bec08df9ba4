"""Seats of an earlier version play on with limits, tickets, disputes, corrections and a float. The journal verifies."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.golden_journals import (
    DAY,
    GAMES,
    a_round,
    archived,
    copy_of,
    deal,
    request,
    sessions_by_table,
    verified,
)

PEOPLE = {"who": "ann", "second": "ben"}


@pytest.mark.parametrize("game", GAMES)
def test_an_old_seat_uses_what_is_new(golden: Path, tmp_path: Path, game: str) -> None:
    journal = copy_of(golden, f"deal-{game}", tmp_path)
    position, outcome = ("symbol:5", "1") if game == "rws-money-wheel" else ("straight:17", "2")
    accepted: set[str] = set()
    for table, sessions in sessions_by_table(golden, game).items():
        old = archived(golden, f"deal-{game}", f"state-{table}.json")
        number, bets = old["round"] + 1, [{"position": position, "cents": 200}]
        steps: list[tuple[str, str, dict[str, Any]]] = [("open_table", "dealer", {})]
        steps += [("count_float", "dealer", {"count": "opener", "cents": 100_000, **PEOPLE})]
        for seat in old["seats"]:
            steps += [
                ("set_protection", "player", {"seat": seat, "loss_cents": 500, "check_minutes": 60}),
                ("buy_credits", "dealer", {"seat": seat, "cents": 900, "who": "ann"}),
                ("reverse_purchase", "dealer", {"seat": seat, "who": "ann"}),
                ("buy_credits", "dealer", {"seat": seat, "cents": 1_000, "who": "ann"}),
            ]
        steps += [("open_bets", "dealer", {})]
        steps += [("place_bets", "player", {"seat": seat, "bets": bets}) for seat in old["seats"]]
        steps += [(do, "dealer", fields) for do, fields in a_round(game, outcome)]
        for seat in old["seats"]:
            steps += [("dispute", "player", {"seat": seat, "round": number, "about": "payment"})]
        answer = {"dispute": 1, "reason": "a long wait", "paid": 100, **PEOPLE}
        steps += [
            ("close_dispute", "shift_manager", answer),
            ("refer", "pit_supervisor", {"round": number, "question": "was it a spin?"}),
            ("decide", "shift_manager", {"round": number, "ruling": "void", "reason": "the tape", **PEOPLE}),
        ]
        steps += [("cash_out", "player", {"seat": seat}) for seat in old["seats"]]
        lines = [request(f"new-{table}-{at}", do, by, **fields) for at, (do, by, fields) in enumerate(steps)]
        clock = sessions[-1]["clock"] + DAY
        answers = [json.loads(line) for line in deal(journal, game, table, clock, lines)][-len(lines) :]
        accepted |= {step[0] for step, answer in zip(steps, answers, strict=True) if answer["ok"]}
        tickets = [event["ticket"] for answer in answers for event in answer.get("events") or () if "ticket" in event]
        seats = list(old["seats"])[::-1]
        redeemed = [
            request(f"back-{table}-{at}", "redeem_ticket", "player", seat=seat, ticket=ticket)
            for at, (seat, ticket) in enumerate(zip(seats, tickets, strict=False))
        ]
        back = [json.loads(line) for line in deal(journal, game, table, clock + DAY, redeemed)][-len(redeemed) :]
        assert all(answer["ok"] for answer in back), back
    expected = {"count_float", "set_protection", "buy_credits", "reverse_purchase", "dispute", "cash_out"}
    assert accepted >= expected, expected - accepted
    assert verified(journal)["verifies"]
