"""Adds new kinds of stored events and requests to ``golden_events.jsonl``.

Lines are never removed, because stored entries must always decode. Run ``python -m tests.support.golden_events``
when a kind of event or request is added.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from roundhouse.journal.entry import Entry, Seq, encode
from roundhouse.rules.names import Cents, Pocket, StaffPosition
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.decision import Facts
from roundhouse.table.names import Millis, ReadBy, RequestId, SeatId, TicketId, TicketNumber
from roundhouse.table.protection import HOUR, MINUTE, HouseProtection, PlayLimits
from roundhouse.table.terms import UNBOUNDED, HouseMoney
from tests.support.clocks import START
from tests.support.tables import Play, loses, wins

STORED = Path(__file__).parents[1] / "table" / "golden_events.jsonl"


def kinds_of(body: bytes) -> Iterator[str]:
    """List the stored names in an entry: its request, events, their fields, facts and refusal."""
    entry = json.loads(body)
    for kind, things in (("do", [entry.get("request", {})]), ("event", entry.get("events", []))):
        for thing in things:
            yield from (f"{kind} {thing[kind]} {field}" for field in thing)
    yield from (f"fact {field}" for field in entry["facts"])
    if "refusal" in entry:
        yield f"refusal {entry['refusal']}"


def play_everything(path: Path) -> list[bytes]:
    """Play sessions with every kind of request and event, and return the stored entries."""
    bodies: list[bytes] = []
    play = Play(path / "a", "mbs-electronic-double-zero")
    play.open("a", "b", credits=10_000, types={"straight": {"min": 1, "max": 5000}}, table=50_000)
    play.bet(a={"red": 100})
    play.do("place_package", seat="a", package="neighbours:22:2", unit_cents=10)
    play.do("withdraw_bets", seat="a", bets={"red": 50})
    for do in ("undo", "double", "clear", "repeat"):
        play.do(do, seat="a")
    play.ok("place_bets", seat="b", bets={"split:0-00": 100})
    play.spin().ok("call_no_spin")
    play.bet(b={"black": 10}).do("repeat", seat="b")
    play.spin()
    play.do("place_bets", seat="a", bets={"red": 1})
    play.do("withdraw_bets", seat="b", bets={"black": 5})
    play.do("observe_spin", ball="clockwise", wheel="anticlockwise", revolutions=5.5)
    play.rest("1", "2").do("correct_result", round=2, outcome="1")
    play.do("confirm_result")
    ticket = play.ok("cash_out", seat="b")[0]["ticket"]
    play.do("correct_result", round=2, outcome="2")
    play.do("correct_result", round=2, outcome="00")
    play.do("redeem_ticket", seat="a", ticket=ticket)
    play.do("redeem_ticket", seat="a", ticket=ticket)
    play.bet(a={"low": 10}).do("refer", round=3, question="a bird?")
    play.do("decide", round=3, ruling="stand", reason="gone")
    play.reopen()
    play.ok("ball_at_rest", outcome="3", who="ann", second="ben")
    play.ok("observe_spin", **play.spun())
    play.ok("register_result", outcome="3")
    play.ok("confirm_result")
    play.bet(a={"low": 10}, b={"low": 10}).ok("declare", irregularity="terminals_interrupted", seats=["a"])
    play.ok("decide", round=4, seat="a", ruling="void", reason="it never saw the closing")
    play.spin().rest("3").reopen()
    play.ok("ball_at_rest", "pit_manager", outcome="4", who="kim")
    play.ok("amend_reading", outcome="4")
    play.ok("register_result", outcome="4")
    play.ok("confirm_result")
    play.ok("decide", round=4, seat="b", ruling="settle", outcome="36", reason="its display showed it")
    play.bet(a={"low": 10}).spin().do(
        "observe_spin", ball="clockwise", wheel="clockwise", revolutions=2, seen=["interference"]
    )
    play.ok("buy_credits", "dealer", seat="a", cents=500, who="dee")
    play.ok("reverse_purchase", "dealer", seat="a", purchase=3, reason="mistyped", who="dee")
    play.ok("request_cash_out", "player", seat="a")
    play.writer.facts.money = HouseMoney(protects_seats=True, limits=play.writer.table.state.limits, limits_times=2)
    play.ok("change_limits", "pit_manager", limits={"table": 60_000}, reason="a busy night", who="ann", second="ben")
    play.ok("change_limits", "pit_manager", limits={"table": 40_000}, reason="a quiet night", who="ann")
    play.ok("allow_enrolment", "pit_manager", seat="a", reason="its screen is broken", who="ann", second="ben")
    play.ok("cash_out", "dealer", seat="a", cents=play.writer.table.state.seats[SeatId("a")].credits, who="dee")
    play.do("correct_result", "pit_manager", round=1, outcome="1", reason="seen on the tape", who="ann", second="ben")
    play.writer.facts.money = UNBOUNDED
    play.do("close_table", last_rounds=2)
    play.do("close_table")
    play.ok("open_table")
    play.writer.table.state.house += 1
    play.do("open_bets")
    play.writer.table.state.house -= 1
    play.ok("resume_table", reason="the fault was found")
    bodies += [row.body for row in play.store.rows(play.id)]
    play.store.close()
    play = Play(path / "b", "rws-double-zero").open("a", credits=1000)
    play.round(wins("rws-double-zero"), a={"straight:1": 100})
    play.writer.facts.ticket_life = Millis(3_600_000)
    play.ok("cash_out", seat="a")
    play.ok("open_bets")
    play.spin().ok("declare", irregularity="interference")
    play.ok("declare", "pit_manager", irregularity="ball_broke", rounds=[1, 2])
    play.ok("refer", round=1, question="was it broken?")
    play.ok("decide", round=1, ruling="settle", outcome="2", reason="it was whole")
    play.ok("refer", question="what is a revolution?")
    play.ok("decide", ruling="stand", reason="360 degrees")
    play.round(loses("rws-double-zero"))
    play.do("refer", round=3, question="so?")
    play.do("decide", round=3, ruling="settle", outcome="5", reason="the camera shows it")
    play.do("hand_back")
    play.do("buy_credits", seat="a", cents=1000)
    play.bet(a={"red": 10}).spin().do("ball_at_rest", outcome="1", reason="the line showed no ball")
    play.do("register_result", outcome="2")
    play.do("confirm_result")
    play.do("correct_result", round=4, outcome="1")
    play.ok("observe_spin", **play.spun())
    play.ok("confirm_result")
    play.do("take_over", reason="the wheel squeaks", who="wei.ling", second="ravi")
    play.bet(a={"red": 10}).spin().rest("1", "2").do("confirm_result")
    play.writer.stop_software()
    bodies += [row.body for row in play.store.rows(play.id)]
    play.store.close()
    play = Play(path / "d", "mbs-sands").by_first_procedure().open("a", credits=1000)
    play.terms = replace(play.terms, opens_phrase="Place your bets, please", closes_phrase="No more bets")
    play.reopen()
    play.ok("close_table")
    play.ok("open_table", chips=[10, 100])
    play.writer.facts.offers = {SeatId("b"): ()}
    play.ok("take_seat", seat="b", terminal="table")
    bodies += [row.body for row in play.store.rows(play.id)]
    play.store.close()
    play = Play(path / "c", "rws-money-wheel").open("a", credits=1000)
    play.ok("issue_colour", seat="a", colour="blue", value_cents=100)
    play.ok("redeem_colour", seat="a")
    for segment in (1, 3):
        play.bet(a={"symbol:1": 10}).ok("close_bets")
        play.ok("start_spin", by_hand=True)
        play.ok("observe_spin", **play.spun())
        play.ok("ball_at_rest", outcome="1", segment=segment)
        reading = c.BallAtRest(
            id=RequestId(f"house:{segment}"),
            by=StaffPosition.SYSTEM,
            outcome=Pocket("1"),
            read_by=ReadBy.WHEEL,
            segment=segment + 2,
        )
        assert play.writer.handle([reading])[0].ok
        play.ok("amend_reading", outcome="1", segment=segment + 2)
        play.ok("register_result", outcome="1")
        play.ok("confirm_result")
    play.ok("hand_back")
    acts: list[tuple[type[c.Command], dict[str, Any]]] = [(c.OpenBets, {}), (c.CloseBets, {}), (c.StartSpin, {})]
    acts += [(c.BallAtRest, {"outcome": "1"}), (c.RegisterResult, {"outcome": "1"}), (c.ConfirmResult, {})]
    dealt = [
        kind(id=RequestId(f"auto:{n}"), by=StaffPosition.AUTOMATIC_DEALER, **fields)
        for n, (kind, fields) in enumerate(acts)
    ]
    assert all(answer.ok for answer in play.writer.handle(dealt))  # type: ignore[arg-type]
    bodies += [row.body for row in play.store.rows(play.id)]
    play.store.close()
    return bodies + play_desk(path) + play_with_protection(path / "g")


def play_desk(path: Path) -> list[bytes]:
    """Play a session with every request and event about the desk."""
    play = Play(path / "e", "mbs-sands").open("a", "b", credits=10_000)
    play.writer.facts.goodwill_max = Cents(5_000)
    play.ok("take_table")
    play.ok("take_table", "pit_supervisor", who="kim", reason="ann is unwell")
    play.writer.facts.is_gone = lambda _: True
    play.ok("take_table", who="ben")
    play.ok("hand_table", "pit_supervisor", who="kim", reason="the shift ended")
    play.ok("count_float", count="opener", cents=1_000)
    play.round("1", a={"red": 100})
    play.ok("cash_out", seat="b")
    for do in ("fill", "credit", "drop_removed"):
        play.ok(do, cents=300)
    play.ok("count_float", count="closer", cents=2_000)
    play.ok("dispute", "dealer", who="dee", seat="a", round=1, about="other", words="it was 2")
    play.ok("question_display", words="the board shows 71", round=1)
    play.ok("close_dispute", dispute=1, reason="the tape shows 1", paid=500)
    play.ok("pause_seat", seat="a", reason="a moment, please")
    play.ok("resume_seat", seat="a")
    bodies = [row.body for row in play.store.rows(play.id)]
    play.store.close()
    play = Play(path / "f", "mbs-electronic-double-zero").open("a", credits=100)
    play.ok("count_float", count="opener", cents=1_000)
    play.ok("buy_credits", "dealer", seat="a", cents=700)
    ticket = play.ok("cash_out", seat="a")[0]["ticket"]
    play.ok("redeem_ticket", "dealer", seat="a", ticket=ticket)
    play.ok("buy_credits", "dealer", who="dee", seat="a", cents=300)
    play.ok("reverse_purchase", "dealer", who="dee", seat="a", reason="mistyped")
    bodies += [row.body for row in play.store.rows(play.id)]
    play.store.close()
    return bodies


def play_with_protection(path: Path) -> list[bytes]:
    """Play with limits of the Player and of the house, a reality check, a break and calls of an attendant."""
    play = Play(path, "rws-double-zero").open("a", "b", credits=10_000)
    house = HouseProtection(Millis(HOUR), PlayLimits(check_minutes=1), ("loss_cents",))
    play.writer.facts.protection = house
    every: dict[str, Any] = {"stake_cents": 5000, "session_stake_cents": 9000, "minutes": 600, "check_minutes": 1}
    play.ok("set_protection", seat="a", loss_cents=5000, **every)
    play.ok("set_protection", seat="a", loss_cents=6000)
    play.bet(a={"red": 100})
    play.clock.advance(2 * MINUTE)
    play.do("double", seat="a")
    play.ok("acknowledge_check", seat="a")
    play.do("set_protection", seat="a", loss_cents=None)
    play.do("place_bets", seat="a", bets={"red": 5000})
    play.do("place_bets", seat="a", bets={"red": 4950, "black": 4950})
    play.ok("take_break", seat="a", minutes=5)
    play.do("double", seat="a")
    play.do("acknowledge_check", seat="a")
    ticket = play.ok("cash_out", seat="a")[0]["ticket"]
    play.ok("redeem_ticket", seat="b", ticket=ticket)
    play.ok("cash_out", seat="b")
    play.ok("set_protection", seat="b", loss_cents=100, minutes=1)
    play.clock.advance(20 * MINUTE)
    play.ok("buy_credits", seat="b", cents=1000)
    play.do("place_bets", seat="b", bets={"red": 100})
    play.ok("set_protection", seat="b", loss_cents=100, minutes=1)
    play.do("place_bets", seat="b", bets={"red": 200})
    play.clock.advance(MINUTE)
    play.do("acknowledge_check", seat="b")
    play.do("place_bets", seat="b", bets={"red": 100})
    play.ok("call_attendant", seat="b")
    play.do("call_attendant", seat="b")
    play.ok("attend_call", seat="b", who="dee")
    play.do("attend_call", seat="b")
    play.ok("take_seat", seat="c", terminal="rapid-a")
    play.ok("buy_credits", seat="c", cents=500)
    ticket = play.ok("cash_out", seat="c")[0]["ticket"]
    play.ok("cash_out", seat="b")
    play.ok("redeem_ticket", seat="b", ticket=ticket)
    play.ok("cash_out", seat="b")
    play.clock.advance(20 * MINUTE)
    play.ok("set_protection", seat="b", loss_cents=100)
    play.ok("buy_credits", seat="c", cents=500)
    bodies = [row.body for row in play.store.rows(play.id)]
    play.store.close()
    # A ticket of a journal before format 3, redeemed at a seat of a house with limits.
    redeemed = e.TicketRedeemed(SeatId("b"), Cents(100), TicketId("1" * 20), new_session=True, house=house)
    request = c.RedeemTicket(
        id=RequestId("r"), by=StaffPosition.PLAYER, seat=SeatId("b"), ticket=TicketNumber("1" * 20)
    )
    bodies.append(encode(Entry(Seq(1), Facts(START), request, [redeemed])))
    return bodies


def main() -> None:
    stored = STORED.read_bytes().splitlines() if STORED.exists() else []
    known = {kind for body in stored for kind in kinds_of(body)}
    with tempfile.TemporaryDirectory() as folder:
        for body in play_everything(Path(folder)):
            if new := set(kinds_of(body)) - known:
                stored.append(body)
                known |= new
    STORED.write_bytes(b"\n".join(stored) + b"\n")
    sys.stdout.write(f"{len(stored)} entries, {len(known)} stored names\n")


if __name__ == "__main__":
    main()
