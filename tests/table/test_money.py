"""Credits, tickets, meters, the balance of accounts, and opening and closing a table."""

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from roundhouse.rules.names import BetType, Cents, PositionId
from roundhouse.table.limits import Bounds, Limits
from roundhouse.table.names import TICKET_LIFE, SeatId
from tests.support.tables import GAMES, Json, Play, Tables, each_game, evens, kinds, loses, the, wins

GAME = "rws-double-zero"


def cashed(play: Play, seat: str = "a") -> Json:
    return the("cashed_out", play.ok("cash_out", seat=seat))


@each_game(
    {
        "rws-double-zero": "1.6, 1.7",
        "rws-triple-zero": "1.6, 1.7",
        "mbs-electronic-double-zero": "1.1.1",
        "mbs-sands": "3.3",
        "rws-money-wheel": "3.3",
    }
)
def test_credits_are_bought_staked_won_and_cashed_out(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    play.round(wins(game), a={evens(game): 400})
    out = cashed(play)
    assert (out["cents"], out["seat"]) == (1400, "a")
    assert out["expires"] == play.writer.table.state.last_event_at + TICKET_LIFE
    assert len(out["ticket"]) == 20
    assert out["ticket"].isdigit()
    assert play.refused("cash_out", seat="a") == ("no_credits", None)
    state = play.state
    assert state["accounts"] == {
        "seat:a": 0, "layout": 0, "house": -400, "cashier": -1000, "tickets": 1400, "shortfall": 0
    }  # fmt: skip
    assert state["seats"]["a"]["meters"] == {
        "bought": 1000, "tickets_in": 0, "tickets_out": 1400, "drop": 1000, "handle": 400, "win": -400, "shortfall": 0
    }  # fmt: skip


def test_a_cash_out_leaves_the_stakes_on_the_layout(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000).bet(a={"red": 300})
    assert cashed(play)["cents"] == 700
    play.spin().rest("1").ok("confirm_result")
    assert play.credits("a") == [600]


def test_a_ticket_is_redeemed_once(table: Tables) -> None:
    play = table(GAME).open("a", "b", credits=1000)
    ticket = cashed(play)["ticket"]
    assert play.refused("redeem_ticket", seat="ghost", ticket=ticket) == ("no_such_seat", None)
    assert play.refused("redeem_ticket", seat="b", ticket="0" * 20) == ("no_such_ticket", None)
    assert play.refused("redeem_ticket", seat="b", ticket=ticket + " ") == ("no_such_ticket", None)
    redeemed = the("ticket_redeemed", play.ok("redeem_ticket", seat="b", ticket=ticket))
    assert (redeemed["cents"], play.credits("a", "b")) == (1000, [0, 2000])
    assert play.refused("redeem_ticket", seat="a", ticket=ticket) == ("ticket_is_redeemed", None)
    play.reopen()
    assert play.refused("redeem_ticket", seat="a", ticket=ticket) == ("ticket_is_redeemed", None)
    assert play.state["accounts"]["tickets"] == 0
    meters = play.state["meters"]
    assert (meters["tickets_in"], meters["tickets_out"], meters["drop"]) == (1000, 1000, 3000)


def test_a_ticket_is_redeemed_at_any_table_of_the_store(table: Tables) -> None:
    here = table(GAME).open("a", credits=1000)
    there = Play(here.path, "rws-money-wheel", "t2", beside=here).open("x", credits=50)
    ticket = cashed(here)["ticket"]
    there.ok("redeem_ticket", seat="x", ticket=ticket)
    assert there.credits("x") == [1050]
    assert there.state["accounts"]["tickets"] == -1000, "this table paid a ticket of another table"
    assert here.state["accounts"]["tickets"] == 1000
    assert here.refused("redeem_ticket", seat="a", ticket=ticket) == ("ticket_is_redeemed", None)
    other = cashed(there, "x")["ticket"]
    assert other != ticket
    here.ok("redeem_ticket", seat="a", ticket=other)
    assert here.credits("a") == [1050]


def test_an_expired_ticket_is_refused(table: Tables) -> None:
    play = table(GAME).open("a", "b", credits=1000)
    first, second = cashed(play)["ticket"], cashed(play, "b")
    play.clock._now = second["expires"] - 3
    play.ok("redeem_ticket", seat="a", ticket=first)
    play.clock._now = second["expires"]
    assert play.refused("redeem_ticket", seat="a", ticket=second["ticket"]) == ("ticket_has_expired", None)
    assert play.credits("a") == [1000]


def test_a_ticket_is_valid_until_its_last_millisecond(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    out = cashed(play)
    play.clock._now = out["expires"] - 1
    assert the("ticket_redeemed", play.ok("redeem_ticket", seat="a", ticket=out["ticket"]))
    assert play.writer.table.state.last_event_at == out["expires"]


def test_a_ticket_is_redeemed_once_in_one_batch(table: Tables) -> None:
    """Redeem a ticket twice in one transaction."""
    play = table(GAME).open("a", "b", credits=1000)
    ticket = cashed(play)["ticket"]
    twice = [play.request("redeem_ticket", seat=seat, ticket=ticket) for seat in ("a", "b")]
    first, second = play.send(*twice)
    assert first["ok"]
    assert (second["ok"], second["refusal"]) == (False, "ticket_is_redeemed")
    assert play.credits("a", "b") == [1000, 1000]


def test_a_seat_is_taken_once_and_needs_a_valid_name(table: Tables) -> None:
    play = table(GAME).open("a")
    assert play.refused("take_seat", seat="a", terminal="rapid-b") == ("seat_is_taken", None)
    assert play.refused("take_seat", seat="b", terminal="a-phone")[0] == "no_such_terminal"
    for name in ("", "a b", "-a", "a" * 41, "a\n", "seat:a", "ä", "a/b"):
        assert play.refused("take_seat", seat=name, terminal="rapid-a")[0] == "no_such_seat", name
    play.ok("take_seat", seat="A.1_x-" + "9" * 34, terminal="rapid-b")


@pytest.mark.parametrize("cents", [0, -1, 10**11 + 1, 2**63, 10**40])
def test_invalid_amounts_of_credits_are_refused(cents: int, table: Tables) -> None:
    play = table(GAME).open("a")
    assert play.refused("buy_credits", seat="a", cents=cents) == ("bad_amount", None)
    assert play.refused("buy_credits", seat="ghost", cents=cents) == ("no_such_seat", None)


def test_the_meters_of_a_table_follow_its_rounds(table: Tables) -> None:
    play = table(GAME).open("a", "b", credits=10_000)
    play.round("1", a={"red": 100}, b={"straight:2": 50})
    play.round("2", a={"red": 100}, b={"straight:2": 50})
    play.bet(a={"red": 500}).spin().ok("declare", irregularity="interference")
    meters = play.state["meters"]
    # 300 cents were staked; 200 and 1800 were returned.
    assert meters == {
        "rounds": 2, "handle": 300, "win": -1700, "hold": "-17/3", "drop": 20_000, "tickets_in": 0, "tickets_out": 0,
        "voids": 1, "corrections": 0, "late_bets": 0,
    }  # fmt: skip
    assert play.state["seats"]["b"]["meters"]["win"] == 100 - 1800
    play.ok("declare", "pit_manager", irregularity="ball_broke", rounds=[2])
    meters = play.state["meters"]
    assert (meters["rounds"], meters["handle"], meters["win"], meters["voids"]) == (1, 150, -50, 2)
    assert play.state["seats"]["b"]["meters"]["win"] == 50


# The balance of accounts.

TAMPERED = {
    "a seat's credits": ("credits", 1),
    "the amount bought": ("bought", -5),
    "the amount won": ("won", 7),
    "the chips on the layout": ("on_layout", 3),
}


@pytest.mark.parametrize("what", TAMPERED)
@pytest.mark.parametrize("do", ["open_bets", "cash_out"])
def test_a_table_with_inconsistent_seat_money_stops(what: str, do: str, table: Tables) -> None:
    play = table(GAME).open("a", "b", credits=1000)
    field, by = TAMPERED[what]
    seat = play.writer.table.state.seats[SeatId("a")]
    setattr(seat, field, getattr(seat, field) + by)
    answer = play.do(do, **({"seat": "b"} if do == "cash_out" else {}))
    assert (answer["ok"], answer["refusal"]) == (False, "table_is_stopped")
    assert "seat a" in answer["reason"]
    assert kinds(answer["events"]) == ["table_stopped"]
    _assert_only_show_is_accepted(play, answer["reason"])


@pytest.mark.parametrize("account", ["house", "layout", "cashier", "tickets", "shortfall"])
def test_a_table_with_accounts_that_do_not_balance_stops(account: str, table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    setattr(play.writer.table.state, account, getattr(play.writer.table.state, account) + 1)
    assert play.do("open_bets")["refusal"] == "table_is_stopped"
    _assert_only_show_is_accepted(play, "")


def _assert_only_show_is_accepted(play: Play, reason: str) -> None:
    requests: dict[str, Json] = {
        "buy_credits": {"seat": "a", "cents": 100},
        "cash_out": {"seat": "a"},
        "place_bets": {"seat": "a", "bets": {"red": 1}},
        "open_bets": {},
        "open_table": {},
        "close_table": {},
        "decide": {"round": 1, "ruling": "void", "reason": "x"},
    }
    for do, fields in requests.items():
        answer = play.do(do, **fields)
        assert (answer["ok"], answer["refusal"]) == (False, "table_is_stopped"), do
        assert answer["reason"].startswith(reason)
    assert play.state["phase"] == "stopped"
    play.store.close()
    play.store = type(play.store)(play.path)
    play.writer = play._writer()
    assert play.do("open_bets")["refusal"] == "table_is_stopped", "stopped after reopening too"


def test_an_internal_error_stops_the_table_and_discards_its_batch(table: Tables) -> None:
    play = table(GAME).open("a", "b", credits=1000).bet(a={"red": 100}).spin().rest("1")
    # Chips on a position that does not exist cause an internal error at settlement.
    play.writer.table.state.seats[SeatId("a")].bets["straight:99"] = 5  # type: ignore[index]
    bought = play.request("buy_credits", seat="b", cents=50)
    answers = play.send(bought, play.request("confirm_result"))
    assert [(answer["ok"], answer["refusal"]) for answer in answers] == [(False, "table_is_stopped")] * 2
    assert "straight:99" in answers[0]["reason"]
    state = play.state
    assert (state["phase"], state["seats"]["b"]["credits"]) == ("stopped", 1000)
    assert state["seats"]["a"]["bets"] == {"red": 100}


# Opening and closing.


@each_game()
def test_a_table_closes_after_the_announced_last_rounds(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    assert the("last_rounds_announced", play.ok("close_table", last_rounds=3))["rounds"] == 3
    bet = {evens(game): 100}
    play.round(loses(game), a=bet)
    assert (play.state["last_rounds"], play.phase) == (2, "idle")
    play.bet(a=bet).spin().ok("declare", irregularity="interference")
    assert (play.state["last_rounds"], play.phase) == (1, "idle")
    events = play.bet(a=bet).spin().rest(wins(game)).ok("confirm_result")
    assert kinds(events) == ["result_confirmed", "round_settled", "table_closed"]
    assert (play.phase, play.state["last_rounds"]) == ("closed", None)
    assert play.refused("open_bets") == ("table_is_closed", None)
    play.ok("open_table")
    play.round(loses(game), a=bet)
    assert play.phase == "idle", "the announcement was for the earlier session"


def test_a_table_closes_at_once_or_after_the_round(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    assert kinds(play.ok("close_table")) == ["table_closed"]
    play.ok("open_table")
    play.bet(a={"red": 100})
    assert the("last_rounds_announced", play.ok("close_table"))["rounds"] == 1
    play.spin().ok("ball_at_rest", outcome="1")
    play.ok("refer", round=1, question="?")
    assert kinds(play.ok("decide", round=1, ruling="settle", reason="x"))[-1] == "table_closed"
    assert play.credits("a") == [1100]
    play.ok("cash_out", seat="a")
    for bad in (-1, 101, 10**30):
        play.ok("open_table")
        assert play.refused("close_table", last_rounds=bad) == ("bad_amount", None)
        play.ok("close_table")


def test_credits_and_seats_survive_a_closing(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    play.round("1", a={"red": 100})
    play.ok("close_table")
    play.ok("open_table", limits={"types": {"red": {"max": 50}}})
    assert play.credits("a") == [1100]
    play.ok("open_bets")
    assert play.refused("repeat", seat="a") == ("above_maximum", "3.3"), "the new limits apply"
    assert play.state["round"] == 2


def test_a_round_of_a_closed_table_can_be_corrected(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    play.round("1", a={"red": 100})
    play.ok("close_table")
    play.ok("correct_result", round=1, outcome="2")
    play.ok("refer", round=1, question="?")
    play.ok("decide", round=1, ruling="void", reason="the wheel was not level")
    assert (play.credits("a"), play.phase) == ([1000], "closed")


def test_the_state_of_a_table_shows_round_outcome_and_rulebook(table: Tables) -> None:
    play = table(GAME)
    assert play.state["phase"] == "closed"
    play.open("a", credits=1000).bet(a={"red": 100}).spin().rest("1", "2")
    state = play.state
    assert (state["round"], state["outcome"], state["phase"]) == (1, None, "registered"), "the two differ"
    assert state["rulebook"] == {"id": GAME, "version": "4", "hash": play.game.hash}
    play.ok("amend_reading", outcome="2")
    assert play.state["outcome"] == "2"
    play.ok("confirm_result")
    assert play.state["outcome"] == "2"
    play.ok("correct_result", round=1, outcome="1")
    assert play.state["outcome"] == "1"
    play.ok("open_bets")
    assert play.state["outcome"] is None
    for by in ("player", "cashier", "dealer", "pit_manager"):
        assert play.do("show", by)["state"]["phase"] == "bets_open"
    version = play.writer.version
    assert play.do("show")["version"] == version, "show adds no entry"


def test_fifty_results_are_shown_but_all_rounds_are_stored(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=100_000)
    for n in range(55):
        play.round(str(n % 36 + 1), a={"red": 100} if n % 5 == 0 else {"black": 100})
    results = play.state["last_results"]
    assert [r["round"] for r in results] == list(range(55, 5, -1))
    before = play.credits("a")[0]
    play.ok("correct_result", round=1, outcome="2")
    assert play.credits("a") == [before - 200]
    assert play.state["last_results"] == results


HOUSE_LIMITS = Limits(
    types={BetType("straight"): Bounds(Cents(200), Cents(1000))},
    positions={PositionId("straight:1"): Bounds(Cents(300), Cents(900))},
    seat=Bounds(Cents(100), Cents(5000)),
    table=Cents(20_000),
)


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        (None, {}),
        ({}, {}),
        ({"seat": {}}, {}),
        ({"table": 9000}, {"table": 9000}),
        ({"seat": {"max": 4000}}, {"seat": {"min": 100, "max": 4000}}),
        ({"seat": {"min": 200}}, {"seat": {"min": 200, "max": 5000}}),
        (
            {"types": {"red": {"min": 100, "max": 700}}},
            {"types": {"straight": {"min": 200, "max": 1000}, "red": {"min": 100, "max": 700}}},
        ),
        ({"positions": {"red": {"min": 100, "max": 7}}}, None),
    ],
)
def test_a_table_opens_with_the_limits_of_the_house_where_it_states_none(
    given: Json | None, changed: Json | None, table: Tables
) -> None:
    play = table(GAME)
    play.writer.facts.terms = replace(play.terms, limits=HOUSE_LIMITS)
    fields: Json = {} if given is None else {"limits": given}
    if changed is None:
        assert play.refused("open_table", **fields)[0] == "bad_limits"
        return
    opened = the("table_opened", play.ok("open_table", **fields))
    assert opened["limits"] == {**to_builtins(HOUSE_LIMITS), **changed}


@each_game()
def test_a_house_without_limits_opens_no_table_without_them(game: str, table: Tables) -> None:
    play = table(game)
    play.writer.facts.terms = replace(play.terms, limits=None)
    clause = play.game.rulebook.betting.limits
    requests: list[Json] = [{}, {"limits": {}}, {"limits": {"seat": {}}}]
    for fields in requests:
        assert play.refused("open_table", **fields) == ("no_limits", clause)
    play.ok("open_table", limits={"seat": {"min": 100, "max": 5000}, "table": 9000})
