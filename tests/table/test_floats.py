"""The float of a table: closer = opener + fills - credits + win + exchanged - drop, by independent arithmetic."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tables import GAMES, NOBODY, Json, Play, Tables, evens, loses, the, wins

CHIPS, CASH = "mbs-sands", "rws-double-zero"


def count(play: Play, which: str, cents: int) -> Json:
    return the("float_counted", play.ok("count_float", count=which, cents=cents))


def test_the_worked_example_of_the_documents(table: Tables) -> None:
    """docs/reference/table.md: a table with chips. The tray is counted by hand, chip by chip."""
    play = table(CHIPS).open("a", credits=1)
    play.ok("count_float", count="opener", cents=500_000)
    play.ok("fill", cents=200_000)
    play.ok("buy_credits", "dealer", seat="a", cents=100_000)  # chips -1,000.00, cash +1,000.00
    play.round(loses(CHIPS), a={"red": 30_000})  # the house takes 300.00
    play.round(wins(CHIPS), a={"red": 10_000})  # the house pays 100.00
    ticket = play.ok("cash_out", seat="a")[0]["cents"]  # chips come back for a ticket
    assert ticket == 80_001
    play.ok("drop_removed", cents=100_000)
    play.ok("credit", cents=50_000)
    view = play.state["float"]
    assert view["expected"] == 500_000 + 200_000 - 50_000 + 20_000 + 80_001 - 100_000 == 650_001
    closed = count(play, "closer", 649_501)
    assert (closed["win"], closed["exchanged"], closed["drop"]) == (20_000, 80_001, 100_000)
    assert (closed["expected"], closed["variance"]) == (650_001, -500)
    assert play.state["float"] is None


def test_a_table_without_chips_counts_its_cash(table: Tables) -> None:
    play = table(CASH).open("a", credits=50_000)
    count(play, "opener", 10_000)
    play.ok("buy_credits", "dealer", seat="a", cents=7_000)
    play.ok("buy_credits", "cashier", seat="a", cents=900)
    play.ok("buy_credits", "player", seat="a", cents=900)
    play.round(loses(CASH), a={"red": 300})
    ticket = play.ok("cash_out", seat="a")[0]["ticket"]
    play.ok("redeem_ticket", "dealer", seat="a", ticket=ticket)
    play.ok("drop_removed", cents=5_000)
    due = 10_000 + 7_000 + (50_000 + 8_800 - 300) - 5_000
    closed = count(play, "closer", due)
    assert (closed.get("win", 0), closed["exchanged"], closed["variance"]) == (0, 7_000 + 58_500, 0)


def test_goodwill_and_a_shortfall_leave_the_tray_of_a_table_with_chips(table: Tables) -> None:
    play = table(CHIPS).open("a", "b", credits=1_000)
    count(play, "opener", 100_000)
    play.round(wins(CHIPS), a={"red": 400})  # the house pays 4.00
    play.ok("dispute", seat="b", round=1, about="bet")
    play.ok("close_dispute", dispute=1, reason="a long wait", paid=250)  # chips for 2.50
    assert play.ok("cash_out", seat="a")[0]["cents"] == 1_400  # chips come back for a ticket
    play.ok("buy_credits", "cashier", seat="a", cents=100)  # chips from the cage
    play.ok("refer", round=1, question="was it red?")
    play.ok("decide", round=1, ruling="settle", outcome=loses(CHIPS), reason="the tape")  # 8.00 due, 1.00 taken
    assert play.state["accounts"]["shortfall"] == -700
    assert play.state["float"]["expected"] == 100_000 - 400 - 250 + 1_400 + 100


def test_an_opener_is_compared_with_the_closer_before_it(table: Tables) -> None:
    play = table(CHIPS).open("a")
    first = count(play, "opener", 1_000)
    assert (first["expected"], first["variance"]) == (1_000, 0)
    count(play, "closer", 900)
    play.reopen()
    opened = count(play, "opener", 950)
    assert (opened["expected"], opened["variance"]) == (900, 50)


@pytest.mark.parametrize("do", ["count_float", "fill", "credit", "drop_removed"])
def test_each_act_needs_two_persons_of_the_table(do: str, table: Tables) -> None:
    play = table(CHIPS).open("a")
    count(play, "opener", 1_000)
    fields = {"count": "closer", "cents": 1_000} if do == "count_float" else {"cents": 10}
    for persons in ({"who": "ann"}, {"who": NOBODY}, {"second": "ben"}, {"who": "ann", "second": " Ann"}):
        assert play.refused(do, **fields, **persons) == ("needs_second_person", None)
    for position in ("player", "cashier"):
        assert play.refused(do, position, **fields)[0] == "not_authorised"
    play.ok(do, **fields)


def test_each_reason_for_a_refusal(table: Tables) -> None:
    play = table(CHIPS).open("a")
    for do in ("fill", "credit", "drop_removed"):
        assert play.refused(do, cents=10) == ("no_float", None)
    assert play.refused("count_float", count="closer", cents=10) == ("no_float", None)
    for cents in (-1, 10**13):
        assert play.refused("count_float", count="opener", cents=cents) == ("bad_amount", None)
    count(play, "opener", 0)
    assert play.refused("count_float", count="opener", cents=10) == ("float_is_open", None)
    for do in ("fill", "credit", "drop_removed"):
        for cents in (0, -1, 10**13):
            assert play.refused(do, cents=cents) == ("bad_amount", None)


def test_without_a_count_sales_and_tickets_are_stored_as_before(table: Tables) -> None:
    play = table(CASH).open("a")
    ticket = play.ok("cash_out", seat="a")[0]["ticket"]
    events = [
        *play.ok("buy_credits", "dealer", seat="a", cents=7_000),
        *play.ok("redeem_ticket", "dealer", seat="a", ticket=ticket),
    ]
    assert not any("in_float" in event for event in (*play.events, *events))
    assert play.state["float"] is None


class Tray:
    """The chips and the cash of a table, moved by hand. Nothing here knows the formula."""

    def __init__(self, in_chips: bool, chips: int) -> None:
        self.in_chips, self.chips, self.cash = in_chips, chips, 0

    @property
    def value(self) -> int:
        return self.chips + self.cash


ACTS = ("win", "lose", "void", "correct", "buy", "reverse", "buy_at_cage", "cash_out", "cash_out_at_cage", "redeem")
DESK_ACTS = ("fill", "credit", "drop", "goodwill")
STEPS = st.lists(st.tuples(st.sampled_from(ACTS + DESK_ACTS), st.integers(1, 40)), max_size=12)


@given(steps=STEPS, game=st.sampled_from(GAMES))
@settings(max_examples=60, deadline=None)
def test_the_closer_is_what_lies_on_the_table(
    steps: list[tuple[str, int]], game: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The amount due is the sum of the chips and notes that were moved by hand, after any steps."""
    path: Path = tmp_path_factory.mktemp("float")
    play = Play(path / "journal", game).open("a", credits=10_000)
    tray = Tray(play.game.rulebook.chips is not None, 1_000_000)
    count(play, "opener", tray.value)
    tickets: list[tuple[str, int]] = []
    last: tuple[int, str, int] | None = None
    for name, tens in steps:
        cents = tens * 10
        [credits] = play.credits("a")
        match name:
            case "win" | "lose" | "void" if credits >= cents:
                play.bet(a={evens(game): cents}).spin()
                if name == "void":
                    play.ok("declare", irregularity="interference")
                    continue
                play.rest(wins(game) if name == "win" else loses(game)).ok("confirm_result")
                moved = -cents if name == "win" else cents
                tray.chips += moved if tray.in_chips else 0
                last = play.number, name, cents
            case "correct" if last is not None:
                number, was, staked = last
                now = "lose" if was == "win" else "win"
                play.ok("refer", round=number, question="was it so?")
                outcome = wins(game) if now == "win" else loses(game)
                play.ok("decide", round=number, ruling="settle", outcome=outcome, reason="the tape")
                # The Dealer takes what the seat still has, and pays what it is due beyond what it still owes.
                [after] = play.credits("a")
                tray.chips += credits - after if tray.in_chips else 0
                last = number, now, staked
            case "buy":
                play.ok("buy_credits", "dealer", seat="a", cents=cents)
                tray.cash += cents
                tray.chips -= cents if tray.in_chips else 0
            case "reverse":
                reversed_ = play.do("reverse_purchase", "dealer", seat="a")
                back = sum(event["cents"] for event in reversed_.get("events", []))
                tray.cash -= back
                tray.chips += back if tray.in_chips else 0
            case "buy_at_cage":
                play.ok("buy_credits", "cashier", seat="a", cents=cents)
            case "cash_out" | "cash_out_at_cage" if credits:
                by = "player" if name == "cash_out" else "cashier"
                tickets.append((play.ok("cash_out", by, seat="a")[0]["ticket"], credits))
                tray.chips += credits if tray.in_chips and by == "player" else 0
            case "redeem" if tickets:
                number_, worth = tickets.pop()
                play.ok("redeem_ticket", "dealer", seat="a", ticket=number_)
                tray.cash += worth  # the paper
                tray.chips -= worth if tray.in_chips else 0
            case "fill":
                play.ok("fill", cents=cents)
                tray.chips += cents
            case "credit":
                play.ok("credit", cents=cents)
                tray.chips -= cents
            case "drop" if tray.cash > 0:
                play.ok("drop_removed", cents=tray.cash)
                tray.cash = 0
            case "goodwill" if play.number:
                play.ok("dispute", seat="a", round=play.number, about="payment")
                number = play.state["disputes"][0]["number"]
                play.ok("close_dispute", dispute=number, reason="a wait", paid=cents)
                tray.chips -= cents if tray.in_chips else 0
    assert play.state["float"]["expected"] == tray.value
    assert count(play, "closer", tray.value)["variance"] == 0
    play.store.close()
