"""Tables and requests for tests of a Player's protection."""

from collections.abc import Callable

from roundhouse.table.protection import HOUR
from tests.support.tables import Play

GAME = "rws-double-zero"
RED, BLACK = "1", "2"
"""Outcomes on which Red and Black win."""
DAY = 24 * HOUR

Start = Callable[..., Play]


def lose(play: Play, seat: str, cents: int) -> None:
    play.round(BLACK, **{seat: {"red": cents}})


def refusal(play: Play, seat: str, cents: int, position: str = "red") -> str:
    """Try a bet, and return how it is refused."""
    code, _ = play.refused("place_bets", seat=seat, bets={position: cents})
    return code


def left(play: Play, seat: str, limit: str = "loss_limit") -> int:
    """Return what a limit leaves, by the message of the refusal of a bet that is too large."""
    answer = play.do("place_bets", seat=seat, bets={"red": 9_000})
    assert answer["refusal"] == limit
    return int(answer["reason"].rpartition(" ")[2])


def ticket_of(play: Play, seat: str) -> str:
    number: str = play.ok("cash_out", seat=seat)[0]["ticket"]
    return number
