"""Twenty ways to pass a Player's limit of 1,000 cents, each of which must fail.

Every test ends with a proof of its journal by ``audit verify``.
"""

from tests.support.protection import BLACK, RED, Start, left, lose, refusal, ticket_of


def test_01_a_bet_above_the_limit(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.ok("open_bets")
    assert refusal(play, "a", 1_010) == "loss_limit"


def test_02_many_small_bets_in_one_batch(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.ok("open_bets")
    answers = play.send(*[play.request("place_bets", seat="a", bets={"red": 300}) for _ in range(5)])
    assert [answer["ok"] for answer in answers] == [True, True, True, False, False]


def test_03_opposite_bets_that_cannot_both_lose(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.bet(a={"red": 1_000})
    # The zeros lose both.
    assert refusal(play, "a", 100, "black") == "loss_limit"


def test_04_double(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.bet(a={"red": 600})
    assert play.refused("double", seat="a")[0] == "loss_limit"


def test_05_repeat(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 600)
    play.ok("open_bets")
    assert play.refused("repeat", seat="a")[0] == "loss_limit"


def test_06_a_package(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.ok("open_bets")
    assert play.refused("place_package", seat="a", package="tiers", unit_cents=500)[0] == "loss_limit"


def test_07_undo_of_a_withdrawal(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.bet(a={"red": 1_000})
    play.ok("withdraw_bets", seat="a", bets={"red": 1_000})
    play.ok("set_protection", seat="a", loss_cents=900)
    assert play.refused("undo", seat="a")[0] == "loss_limit"


def test_08_taking_back_and_betting_again(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 700)
    play.ok("open_bets")
    for _ in range(3):
        play.ok("place_bets", seat="a", bets={"red": 300})
        play.ok("clear", seat="a")
    assert left(play, "a") == 300


def test_09_a_higher_limit(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.ok("set_protection", seat="a", loss_cents=100_000)
    play.ok("set_protection", seat="a", loss_cents=None)
    play.ok("open_bets")
    assert left(play, "a") == 1_000


def test_10_more_credits(start: Start) -> None:
    play = start("a", credits=1_000)
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 1_000)
    play.ok("buy_credits", seat="a", cents=50_000)
    play.ok("open_bets")
    assert left(play, "a") == 0


def test_11_cashing_out_and_buying_again(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 800)
    ticket_of(play, "a")
    play.ok("buy_credits", seat="a", cents=50_000)
    play.ok("open_bets")
    assert left(play, "a") == 200


def test_12_the_ticket_at_another_seat(start: Start) -> None:
    play = start("a")
    play.ok("take_seat", seat="b", terminal="rapid-a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 800)
    play.ok("redeem_ticket", seat="b", ticket=ticket_of(play, "a"))
    play.ok("open_bets")
    assert left(play, "b") == 200


def test_13_the_ticket_at_another_table(start: Start) -> None:
    play = start("a")
    other = start(table="t2")
    other.ok("take_seat", seat="x", terminal="rapid-a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 800)
    other.ok("redeem_ticket", seat="x", ticket=ticket_of(play, "a"))
    other.ok("open_bets")
    assert left(other, "x") == 200


def test_14_the_ticket_while_bets_stay_behind(start: Start) -> None:
    """Chips left on the layout count as lost, so both together cannot lose more than the limit."""
    play = start("a")
    other = start(table="t2")
    other.ok("take_seat", seat="x", terminal="rapid-a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.bet(a={"red": 600})
    other.ok("redeem_ticket", seat="x", ticket=ticket_of(play, "a"))
    other.ok("open_bets")
    assert left(other, "x") == 400


def test_15_a_ticket_with_a_limit_at_a_seat_without_one(start: Start) -> None:
    play = start("a", "b")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 800)
    play.ok("redeem_ticket", seat="b", ticket=ticket_of(play, "a"))
    play.ok("open_bets")
    assert left(play, "b") == 200


def test_16_a_ticket_without_a_limit_at_a_seat_with_one(start: Start) -> None:
    play = start("a", "b")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    lose(play, "a", 800)
    lose(play, "b", 150)
    play.ok("redeem_ticket", seat="a", ticket=ticket_of(play, "b"))
    play.ok("open_bets")
    # Losses of both sessions add up.
    assert left(play, "a") == 50


def test_17_a_win_that_is_carried_twice(start: Start) -> None:
    """A win is on the ticket and at the seat, but counts once when both come together."""
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.round(RED, a={"red": 1_000})
    play.bet(a={"red": 100})
    first = ticket_of(play, "a")
    play.spin().rest(RED).ok("confirm_result")
    play.ok("take_seat", seat="b", terminal="rapid-a")
    play.ok("redeem_ticket", seat="b", ticket=first)
    play.ok("redeem_ticket", seat="b", ticket=ticket_of(play, "a"))
    play.ok("open_bets")
    assert left(play, "b") == 1_000 + 1_100


def test_18_a_resent_request(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.ok("open_bets")
    bet = play.request("place_bets", seat="a", bets={"red": 1_000})
    first, again = play.send(bet)[0], play.send(bet)[0]
    assert first == again
    assert play.writer.table.state.seats["a"].on_layout == 1_000  # type: ignore[index]
    assert refusal(play, "a", 10) == "loss_limit"


def test_19_a_restart_of_the_server(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.ok("set_protection", seat="a", loss_cents=None)
    lose(play, "a", 800)
    play.resume()
    play.ok("open_bets")
    assert left(play, "a") == 200


def test_20_a_void_round_and_a_correction(start: Start) -> None:
    play = start("a")
    play.ok("set_protection", seat="a", loss_cents=1_000)
    play.bet(a={"red": 1_000})
    play.spin().ok("declare", irregularity="interference")
    number = play.round(RED, a={"red": 1_000})
    play.ok("open_bets")
    assert left(play, "a") == 2_000
    # The win is taken back, and the stake is lost.
    play.ok("correct_result", round=number, outcome=BLACK)
    assert refusal(play, "a", 10) == "loss_limit"
