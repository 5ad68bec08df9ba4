"""Random nights that mix all ways in which money moves at two tables, against sums of their own.

The sums are made of the answers to requests. They know nothing of postings, sessions or floats.
"""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from roundhouse.audit.verify import Summary, verify_journal
from roundhouse.journal.seal import key_of
from roundhouse.office.export import Export
from roundhouse.office.report import ReportQuery, report
from roundhouse.table.names import Millis
from roundhouse.table.protection import HouseProtection, PlayLimits
from tests.support.soak import Counted, Tally, times
from tests.support.tables import TERMINALS, Json, Play, evens, loses, wins

GAMES = ("rws-double-zero", "mbs-sands")
"""A table of cash and a table of chips."""
SEATS = ("a", "b", "c")
TWO = {"who": "ann", "second": "ben"}
MINUTE = 60_000
HOUSES = (None, HouseProtection(limits=PlayLimits(loss_cents=40_000)), HouseProtection(required=("loss_cents",)))


class Night:
    """Two tables on one journal, the sums, and the tickets that are not redeemed."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path, self.random = path, random.Random(seed)
        first = Play(path, GAMES[0], "t1")
        self.plays = [first, Play(path, GAMES[1], "t2", beside=first)]
        self.house = self.random.choice(HOUSES)
        self.credits: Counter[tuple[str, str]] = Counter()
        self.sums: dict[str, Counter[str]] = {play.id: Counter() for play in self.plays}
        self.tickets: dict[str, int] = {}
        self.accepted: Counter[str] = Counter()
        for play in self.plays:
            play.writer.facts.protection = self.house
            play.open()
            for seat in SEATS:
                play.ok("take_seat", seat=seat, terminal=TERMINALS.get(play.name, "table"))
            self.ask(play, "count_float", count="opener", cents=50_000)

    def ask(self, play: Play, do: str, by: str = "", **fields: Any) -> list[Json]:
        """Send a request that may be refused, and add its events to the sums."""
        answer = play.do(do, by, **fields)
        if not answer["ok"]:
            return []
        self.accepted[do] += 1
        for event in answer["events"]:
            self.add(play.id, event)
        events: list[Json] = answer["events"]
        return events

    def add(self, table: str, event: Json) -> None:
        sums, kind, cents = self.sums[table], event["event"].partition(".")[0], event.get("cents", 0)
        place = (table, event.get("seat", ""))
        match kind:
            case "credits_bought":
                self.credits[place] += cents
                sums["bought"] += cents
            case "purchase_reversed":
                self.credits[place] -= cents
                sums["bought"] -= cents
            case "cashed_out":
                self.credits[place] -= cents
                sums["tickets_out"] += cents
                self.tickets[event["ticket"]] = cents
            case "ticket_redeemed":
                self.credits[place] += cents
                sums["tickets_in"] += cents
                del self.tickets[event["ticket"]]
            case "bets_placed":
                self.credits[place] -= sum(event["bets"].values())
            case "bets_withdrawn":
                self.credits[place] += sum(event["bets"].values())
            case "round_settled":
                for seat, (staked, returned) in event["seats"].items():
                    self.credits[table, seat] += returned
                    sums["win"] += staked - returned
            case "round_voided":
                for seat, staked in event["seats"].items():
                    self.credits[table, seat] += staked
            case "stake_returned":
                self.credits[place] += cents
            case "round_corrected" | "round_reversed" | "round_reinstated":
                for change in event["seats"]:
                    self.change(table, change)
            case "seat_decided":
                self.change(table, event["change"])
            case "dispute_closed":
                self.credits[place] += event.get("paid", 0)
                sums["goodwill"] += event.get("paid", 0)

    def change(self, table: str, change: Json) -> None:
        moved = change.get("credited", 0) - change.get("taken", 0)
        self.credits[table, change["seat"]] += moved
        self.sums[table]["win"] -= change["now"] - change["was"]
        self.sums[table]["shortfall"] += change.get("shortfall", 0)

    def step(self) -> None:
        pick = self.random
        play, seat = pick.choice(self.plays), pick.choice(SEATS)
        cents = 10 * pick.randint(1, 900)
        match pick.choice(_ACTS):
            case "buy":
                self.ask(play, "buy_credits", pick.choice(("dealer", "cashier", "player")), who="ann", seat=seat,
                         cents=cents * 5)  # fmt: skip
            case "reverse":
                self.ask(play, "buy_credits", "dealer", seat=seat, cents=cents)
                self.ask(play, "reverse_purchase", pick.choice(("dealer", "cashier")), seat=seat, reason="a slip")
            case "cash_out":
                by = pick.choice(("player", "dealer", "cashier"))
                self.ask(play, "request_cash_out", seat=seat)
                self.ask(play, "cash_out", by, **(TWO if by == "dealer" else {}), seat=seat)
            case "redeem" if self.tickets:
                self.ask(play, "redeem_ticket", pick.choice(("player", "dealer", "cashier")), seat=seat,
                         ticket=pick.choice(list(self.tickets)))  # fmt: skip
            case "bet":
                position = pick.choice((evens(play.name), "straight:17"))
                if not self.ask(play, "place_bets", seat=seat, bets={position: 10 * pick.randint(1, 90)}):
                    self.ask(play, "acknowledge_check", seat=seat)
            case "undo":
                self.ask(play, pick.choice(("undo", "clear", "double", "repeat")), seat=seat)
            case "round":
                self.end_round(play)
                self.ask(play, "open_bets")
            case "void":
                if play.phase == "bets_open":
                    play.spin()
                self.ask(play, "declare", irregularity="interference")
            case "refer" if play.number:
                self.decide(play, pick.randint(1, play.number), seat)
            case "dispute" if play.number:
                self.ask(play, "dispute", seat=seat, round=pick.randint(1, play.number), about="payment")
            case "close_dispute":
                for one in play.state["disputes"][:1]:
                    paid = pick.choice((0, cents))
                    self.ask(play, "close_dispute", dispute=one["number"], reason="a wait", paid=paid)
            case "protect" if pick.random() < 0.4:
                name = pick.choice(("loss_cents", "stake_cents", "session_stake_cents", "minutes", "check_minutes"))
                value = (
                    pick.choice((None, pick.randint(1, 60))) if "minutes" in name else pick.choice((None, cents * 3))
                )
                asked: Json = {name: value}
                self.ask(play, "set_protection", seat=seat, **asked)
            case "break" if pick.random() < 0.3:
                self.ask(play, "take_break", seat=seat, minutes=pick.randint(1, 10))
            case "pause" if seat != "a":
                if not self.ask(play, "resume_seat", seat=seat):
                    self.ask(play, "pause_seat", seat=seat, reason="a talk")
            case "float":
                self.move_float(play, cents)
            case "dealer":
                dealer = play.writer.table.state.dealer
                if dealer and pick.random() < 0.7:
                    self.ask(play, "hand_table", who=dealer.name)
                else:
                    self.ask(play, "take_table", who=pick.choice(("ann", "ann", "carl")))
            case "wait":
                clock = play.clock
                clock._now = Millis(clock._now + pick.choice((1, 5, 16, 30)) * MINUTE)
            case "restart" if pick.random() < 0.3:
                self.restart()
        self.compare(play)

    def end_round(self, play: Play) -> None:
        if play.phase == "bets_open":
            play.spin()
        if play.phase == "spinning":
            name = play.name
            self.ask(play, "observe_spin", **play.spun())
            outcome = self.random.choice((wins(name), loses(name), "17"))
            for do in ("ball_at_rest", "register_result"):
                self.ask(play, do, outcome=outcome)
            self.ask(play, "confirm_result")
        if play.phase in ("referred", "interrupted"):
            self.ask(play, "refer", round=play.number, question="what now?")
            self.ask(play, "decide", round=play.number, ruling="void", reason="a restart")

    def decide(self, play: Play, number: int, seat: str) -> None:
        ruling = self.random.choice(("void", "settle", "settle"))
        fields: Json = (
            {"outcome": self.random.choice((wins(play.name), loses(play.name)))} if ruling == "settle" else {}
        )
        if self.random.random() < 0.3:
            fields["seat"] = seat
        self.ask(play, "refer", round=number, question="was it so?")
        if not self.ask(play, "decide", round=number, ruling=ruling, reason="the tape", **fields):
            self.ask(play, "decide", round=number, ruling="stand", reason="the tape")

    def move_float(self, play: Play, cents: int) -> None:
        act = self.random.choice(("count", "fill", "credit", "drop_removed"))
        if act != "count":
            self.ask(play, act, cents=cents)
            return
        found = play.state["float"]
        if found is None:
            self.ask(play, "count_float", count="opener", cents=cents)
        elif found["expected"] >= 0:
            self.ask(play, "count_float", count="closer", cents=found["expected"])

    def restart(self) -> None:
        first, second = self.plays
        recovered = {first.id: first.reopen()}
        second.store = first.store
        recovered[second.id] = second.resume()
        for play in self.plays:
            play.writer.facts.protection = self.house
            for event in recovered[play.id]:
                self.add(play.id, event)

    def compare(self, play: Play) -> None:
        seats = play.writer.table.state.seats
        assert {seat: self.credits[play.id, seat] for seat in SEATS} == {seat: seats[seat].credits for seat in SEATS}  # type: ignore[index]

    def check(self) -> None:
        """Compare the sums with the report, the export and ``verify``."""
        self.plays[0].store.close()
        summary = verify_journal(self.path, key_of(self.path))
        assert summary.verifies
        assert summary.tickets_outstanding_cents == sum(self.tickets.values())
        rows = {row.table: row for row in report(self.path, ReportQuery()).lines}
        with Export(self.path) as export:
            meters = {row.table: row for row in export.meters() if row.seat is None}
            seats = {(row.table, row.seat): row.credits for row in export.meters() if row.seat is not None}
            open_tickets = sum(row.cents for row in export.tickets(Millis(0)))
        assert open_tickets == sum(self.tickets.values())
        assert seats == {place: self.credits[place] for place in seats}
        for play in self.plays:
            self.check_table(play, summary, rows[play.id], meters[play.id])

    def check_table(self, play: Play, summary: Summary, row: Any, meters: Any) -> None:
        sums = self.sums[play.id]
        (found,) = [one for one in summary.tables if one.table == play.id]
        credits = sum(self.credits[play.id, seat] for seat in SEATS)
        verified = (found.bought, found.tickets_in, found.tickets_out, found.house, found.goodwill, found.shortfall)
        names = ("bought", "tickets_in", "tickets_out", "win", "goodwill", "shortfall")
        assert verified == tuple(sums[name] for name in names)
        assert (found.credits, meters.credits) == (credits, credits)
        for name in ("bought", "tickets_in", "tickets_out", "win", "shortfall"):
            assert getattr(row, name) == getattr(meters, name) == sums[name], name
        # Double entry: what came in is with the seats, on the layout, on tickets or won.
        paid_in = sums["bought"] + sums["tickets_in"] - sums["tickets_out"]
        given = sums["goodwill"] + sums["shortfall"]
        assert paid_in == credits + found.layout + sums["win"] - given


_ACTS = (
    *("bet",) * 12,
    *("buy", "buy", "redeem", "round", "round", "round") * 2,
    *("reverse", "cash_out", "undo", "void", "refer", "dispute", "close_dispute"),
    *("protect", "break", "pause", "float", "float", "dealer", "wait", "wait", "restart"),
)


_EVERY_ACT = {
    *("buy_credits", "reverse_purchase", "cash_out", "redeem_ticket", "place_bets", "confirm_result", "declare"),
    *("refer", "decide", "dispute", "close_dispute", "set_protection", "take_break", "acknowledge_check"),
    *("pause_seat", "resume_seat", "count_float", "fill", "credit", "drop_removed", "take_table", "hand_table"),
}


@pytest.mark.parametrize("seed", range(times(4, 250)))
def test_a_mixed_night_agrees_with_its_own_sums(tmp_path: Path, seed: int, tally: Tally) -> None:
    night = Night(tmp_path / "journal", seed)
    for _ in range(250):
        night.step()
    night.check()
    tally.add(Counted.MIXED_NIGHT, detail="at two tables")


def test_the_nights_contain_every_act(tmp_path: Path) -> None:
    accepted: set[str] = set()
    for seed in range(3):
        night = Night(tmp_path / f"journal-{seed}", seed)
        for _ in range(300):
            night.step()
        night.check()
        accepted |= set(night.accepted)
    assert accepted >= _EVERY_ACT, _EVERY_ACT - accepted
