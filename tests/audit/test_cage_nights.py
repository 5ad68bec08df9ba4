"""Random nights of a whole house over HTTP: a cage, a table, tickets between them, disputes and corrections.

The sums are made of the answers to requests. At the end they are compared with reports, exports and ``verify``.
"""

import itertools
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from roundhouse.audit.verify import verify_journal
from roundhouse.floor.table import RunningTable
from roundhouse.office.cage_records import cage_report
from roundhouse.office.export import Export
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.report import ReportQuery, report
from roundhouse.table.names import Millis
from roundhouse.table.state import TableState
from tests.support.cage_house import TABLE, TOML, CageHouse, cage_house
from tests.support.soak import Counted, Tally, times
from tests.support.tables import SPUN, Json

SEATS = ("1", "2")
DRAWERS = {"cage-1": "cashier", "cage-2": "cashier-2"}
HOUSE = f"""{TOML}
[[terminals]]
table = "t"
kind = "rapid-b"
seats = ["1", "2"]
"""
_ids = itertools.count(1)


class HouseNight:
    """The house, and sums of money by place."""

    def __init__(self, house: CageHouse, seed: int) -> None:
        self.house, self.random = house, random.Random(seed)
        self.cash: dict[str, int] = {}
        """Cash of the open drawers."""
        self.cage: Counter[str] = Counter()
        self.table: Counter[str] = Counter()
        self.credits: Counter[str] = Counter()
        self.tickets: dict[str, int] = {}
        self.accepted: Counter[str] = Counter()
        self.ask("pit_manager", "open_table")
        for seat in SEATS:
            self.enrol(seat)
            self.ask(f"terminal-{seat}", "take_seat", seat=seat, terminal="rapid-b")
        house.log_in("cashier-2", "@cage")

    @property
    def state(self) -> TableState:
        table = self.house.house.tables[TABLE]
        assert isinstance(table, RunningTable)
        return table.table.state

    def enrol(self, seat: str) -> None:
        house = self.house
        code = house.call("pit_supervisor", "POST", "/api/terminals/codes", {"table": TABLE, "seat": seat})
        assert code.status_code == 201, code.text
        enrolled = house.call(None, "POST", "/api/enrol", {"code": code.json()["code"], "program": True})
        assert enrolled.status_code == 200, enrolled.text
        house.tokens[f"terminal-{seat}"] = enrolled.json()["token"]

    def ask(
        self, caller: str, do: str, second: str = "casino_manager", cage: bool = False, **fields: Any
    ) -> list[Json]:
        """Send a request, let a second person approve it if that is necessary, and add its events to the sums."""
        path = "/api/cage/requests" if cage else f"/api/tables/{TABLE}/requests"
        body = {"do": do, "id": f"night-{next(_ids)}", **fields}
        answer = self.house.call(caller, "POST", path, body).json()
        if "proposal" in answer:
            approved = self.house.approve(second, answer)
            if not approved["ok"]:
                return []
            answer = self.house.call(caller, "POST", path, body).json()
        if not answer["ok"]:
            return []
        self.accepted[do] += 1
        for event in answer["events"]:
            self.add_at_cage(event) if cage else self.add(event)
        events: list[Json] = answer["events"]
        if cage and do == "sell_credits":
            self.tickets[answer["ticket"]] = fields["cents"]
        return events

    def add_at_cage(self, event: Json) -> None:
        kind, cents, drawer = event["event"].partition(".")[0], event.get("cents", 0), event.get("drawer", "")
        match kind:
            case "drawer_opened":
                self.cash[drawer] = cents
                self.cage["vault"] -= cents
            case "drawer_filled":
                self.cash[drawer] += cents
                self.cage["vault"] -= cents
            case "drawer_dropped":
                self.cash[drawer] -= cents
                self.cage["vault"] += cents
            case "drawer_closed":
                self.cage["variance"] += cents - self.cash.pop(drawer)
                self.cage["vault"] += cents
            case "credits_sold":
                self.cash[drawer] += cents
                self.cage["sold"] += cents
            case "ticket_paid":
                self.cash[drawer] -= cents
                self.cage["paid"] += cents
            case "ticket_voided":
                self.cage["voided"] += cents

    def add(self, event: Json) -> None:
        kind, cents, seat = event["event"].partition(".")[0], event.get("cents", 0), event.get("seat", "")
        match kind:
            case "credits_bought" | "purchase_reversed":
                moved = cents if kind == "credits_bought" else -cents
                self.credits[seat] += moved
                self.table["bought"] += moved
            case "cashed_out":
                self.credits[seat] -= cents
                self.table["tickets_out"] += cents
                self.tickets[event["ticket"]] = cents
            case "ticket_redeemed":
                self.credits[seat] += cents
                self.table["tickets_in"] += cents
            case "bets_placed":
                self.credits[seat] -= sum(event["bets"].values())
            case "bets_withdrawn":
                self.credits[seat] += sum(event["bets"].values())
            case "round_settled":
                for one, (staked, returned) in event["seats"].items():
                    self.credits[one] += returned
                    self.table["win"] += staked - returned
            case "round_voided":
                for one, staked in event["seats"].items():
                    self.credits[one] += staked
            case "round_corrected" | "round_reversed" | "round_reinstated":
                for change in event["seats"]:
                    self.change(change)
            case "seat_decided":
                self.change(event["change"])
            case "dispute_closed":
                self.credits[seat] += event.get("paid", 0)
                self.table["goodwill"] += event.get("paid", 0)

    def change(self, change: Json) -> None:
        self.credits[change["seat"]] += change.get("credited", 0) - change.get("taken", 0)
        self.table["win"] -= change["now"] - change["was"]
        self.table["shortfall"] += change.get("shortfall", 0)

    def step(self) -> None:
        if self.random.random() < 0.45:
            self.step_at_cage()
        else:
            self.step_at_table()
        seats = self.state.seats
        assert {seat: self.credits[seat] for seat in SEATS} == {seat: seats[seat].credits for seat in SEATS}  # type: ignore[index]

    def step_at_cage(self) -> None:
        pick = self.random
        drawer = pick.choice(sorted(DRAWERS))
        cashier, cents = DRAWERS[drawer], 100 * pick.randint(1, 700)
        place: Json = {"drawer": drawer, "cage": True, "second": "shift_manager"}
        if drawer not in self.cash:
            self.ask(cashier, "open_drawer", cents=cents, **place)
            return
        match pick.choice(("close", "sell", "sell", "sell", "pay", "pay", "fill", "drop", "void")):
            case "close":
                counted = max(0, self.cash[drawer] + pick.choice((0, 0, 100, -100, -900)))
                self.ask(cashier, "close_drawer", cents=counted, **place)
            case "sell":
                self.ask(cashier, "sell_credits", cents=cents, **place)
            case "pay" if self.tickets:
                number = pick.choice(list(self.tickets))
                if self.ask(cashier, "pay_ticket", ticket=number, **place):
                    del self.tickets[number]
            case "fill":
                self.ask(cashier, "fill_drawer", cents=cents, **place)
            case "drop":
                self.ask(cashier, "drop_drawer", cents=cents, **place)
            case "void" if self.tickets and pick.random() < 0.3:
                number = pick.choice(list(self.tickets))
                asked = self.ask(cashier, "void_ticket", "shift_manager", True, ticket=number, reason="it is torn")
                if asked:
                    del self.tickets[number]

    def step_at_table(self) -> None:
        pick = self.random
        seat, cents = pick.choice(SEATS), 100 * pick.randint(1, 200)
        number, terminal = self.state.round, f"terminal-{seat}"
        match pick.choice(_ACTS):
            case "buy":
                self.ask("dealer", "buy_credits", seat=seat, cents=cents)
            case "reverse":
                self.ask("dealer", "reverse_purchase", seat=seat, reason="a slip")
            case "cash_out":
                self.ask(terminal, "cash_out", seat=seat)
            case "redeem" if self.tickets:
                ticket = pick.choice(list(self.tickets))
                if self.ask(pick.choice((terminal, "dealer")), "redeem_ticket", seat=seat, ticket=ticket):
                    del self.tickets[ticket]
            case "bet":
                bets = [{"position": pick.choice(("red", "straight:17")), "cents": cents}]
                self.ask(terminal, "place_bets", seat=seat, bets=bets)
            case "round":
                self.end_round()
                self.ask("dealer", "open_bets")
            case "decide" if number > 1:
                self.decide(pick.randint(1, number - 1))
            case "dispute" if number:
                self.ask(terminal, "dispute", seat=seat, round=pick.randint(1, number), about="payment")
            case "close_dispute":
                self.close_dispute(cents)
            case "protect":
                self.ask(terminal, "set_protection", seat=seat, loss_cents=cents * 5)
            case "float":
                self.move_float(cents)

    def end_round(self) -> None:
        if self.state.phase != "bets_open":
            return
        outcome = self.random.choice(("1", "2", "17"))
        for do, fields in (
            ("close_bets", {}),
            ("start_spin", {}),
            ("observe_spin", SPUN),
            ("ball_at_rest", {"outcome": outcome}),
            ("register_result", {"outcome": outcome}),
            ("confirm_result", {}),
        ):
            assert self.ask("dealer", do, **fields), do

    def decide(self, number: int) -> None:
        ruling = self.random.choice(("void", "settle", "stand"))
        fields: Json = {"outcome": self.random.choice(("1", "2"))} if ruling == "settle" else {}
        about: Json = {"round": number, "reason": "the tape"}
        self.ask("pit_supervisor", "refer", round=number, question="was it so?")
        if not self.ask("shift_manager", "decide", ruling=ruling, **about, **fields):
            self.ask("shift_manager", "decide", ruling="stand", **about)

    def close_dispute(self, cents: int) -> None:
        disputes = self.state.disputes
        for open_one in list(disputes.open)[:1] if disputes else ():
            paid = self.random.choice((0, cents))
            self.ask("shift_manager", "close_dispute", dispute=open_one, reason="a long wait", paid=paid)

    def move_float(self, cents: int) -> None:
        do = self.random.choice(("count_float", "fill", "credit", "drop_removed"))
        tray = self.state.tray
        if do == "count_float" or not tray or tray.open is None:
            count = "closer" if tray and tray.open else "opener"
            self.ask("dealer", "count_float", "pit_supervisor", count=count, cents=cents)
        else:
            self.ask("dealer", do, "pit_supervisor", cents=cents)


_ACTS = (
    *("bet",) * 4,
    *("round",) * 3,
    *("buy", "redeem", "redeem", "redeem", "cash_out", "cash_out", "reverse"),
    *("decide", "dispute", "close_dispute", "protect", "float", "float"),
)


def play_night(folder: Path, seed: int, steps: int) -> HouseNight:
    with cage_house(folder, HOUSE) as house:
        night = HouseNight(house, seed)
        for _ in range(steps):
            night.step()
        layout = night.state.layout
    check(night, layout)
    return night


def check(night: HouseNight, layout: int) -> None:
    cage, table, journal = night.cage, night.table, night.house.configuration.journal
    outstanding, credits = sum(night.tickets.values()), sum(night.credits.values())
    # Everything that was paid in is with a seat, on the layout, on a ticket, in the house's win, or was paid out.
    paid_in = table["bought"] + cage["sold"] - cage["paid"]
    given = table["goodwill"] + table["shortfall"]
    assert paid_in == credits + layout + outstanding + cage["voided"] + table["win"] - given
    # Cash of the cage is in its drawers, in the vault, or missing.
    assert sum(night.cash.values()) + cage["vault"] == cage["sold"] - cage["paid"] + cage["variance"]

    summary = verify_journal(journal, night.house.key)
    assert summary.cage is not None
    found = (summary.cage.cash, -summary.cage.vault, summary.cage.variance, summary.cage.voided)
    assert found == (sum(night.cash.values()), cage["vault"], cage["variance"], cage["voided"])
    assert summary.tickets_outstanding_cents == outstanding
    (verified,) = summary.tables
    amounts = (verified.bought, verified.tickets_in, verified.tickets_out, verified.house, verified.goodwill)
    assert amounts == tuple(table[name] for name in ("bought", "tickets_in", "tickets_out", "win", "goodwill"))

    (row,) = report(journal, ReportQuery()).lines
    with Export(journal) as export:
        (meters,) = [one for one in export.meters() if one.seat is None]
        assert sum(one.cents for one in export.tickets(Millis(0))) == outstanding
    for name in ("bought", "tickets_in", "tickets_out", "win", "shortfall"):
        assert getattr(row, name) == getattr(meters, name) == table[name], name
    assert (meters.credits, meters.on_layout) == (credits, layout)
    drawers = cage_report(journal, Calendar())
    assert sum(one.sold for one in drawers.drawers) == cage["sold"]
    assert sum(one.paid for one in drawers.drawers) == cage["paid"]
    assert sum(one.variance or 0 for one in drawers.drawers) == cage["variance"]
    assert {one.drawer: one.expected for one in drawers.drawers if one.closed is None} == night.cash
    assert drawers.voided == cage["voided"]


@pytest.mark.parametrize("seed", range(times(2, 250)))
def test_a_night_with_a_cage_agrees_with_its_own_sums(tmp_path: Path, seed: int, tally: Tally) -> None:
    play_night(tmp_path, seed, times(150, 300))
    tally.add(Counted.MIXED_NIGHT, detail="with a cage")


def test_the_nights_contain_every_act(tmp_path: Path) -> None:
    accepted = play_night(tmp_path, 7, 400).accepted
    assert set(accepted) >= _EVERY_ACT, _EVERY_ACT - set(accepted)


_EVERY_ACT = {
    *("open_drawer", "close_drawer", "sell_credits", "pay_ticket", "fill_drawer", "drop_drawer", "void_ticket"),
    *("buy_credits", "reverse_purchase", "cash_out", "redeem_ticket", "place_bets", "confirm_result", "decide"),
    *("dispute", "close_dispute", "set_protection", "count_float", "fill", "credit", "drop_removed"),
}
