"""Commands to the wheel, its replies, and when the rules allow a game to start."""

import pytest

from roundhouse.wheel.commands import (
    CloseWheel,
    Mode,
    NotYet,
    OpenWheel,
    Reply,
    SetMode,
    StartGame,
    WheelCommand,
    may_start,
    mode_for,
    reply,
    wire,
)
from roundhouse.wheel.protocol import ControlLine
from tests.support.recordings import find


@pytest.mark.parametrize(
    ("command", "line", "answer"),
    [
        (OpenWheel(), ControlLine("P", "OK"), Reply.DONE),
        (CloseWheel(), ControlLine("P", "NO"), Reply.REFUSED),
        (StartGame(), ControlLine("u", "OK"), Reply.DONE),
        (StartGame(), ControlLine("u", "1"), None),
        (StartGame(), ControlLine("P", "OK"), None),
        (SetMode(Mode(129)), ControlLine("o", "BUSY"), Reply.BUSY),
        (SetMode(Mode(129)), ControlLine("o", "129"), Reply.DONE),
        (SetMode(Mode(129)), ControlLine("o", "128"), None),
        (OpenWheel(), ControlLine("T", "d 15"), None),
    ],
)
def test_a_reply_is_matched_to_its_command(command: WheelCommand, line: ControlLine, answer: Reply | None) -> None:
    assert reply(command, line) == answer


def test_commands_are_encoded_as_lines() -> None:
    assert [wire(command) for command in (OpenWheel(), CloseWheel(), StartGame())] == [
        b"*P 1\r\n",
        b"*P 0\r\n",
        b"*u 1\r\n",
    ]


WHEN = """
                             bets open   bets closed
rws-double-zero              yes         yes
rws-triple-zero              yes         yes
mbs-sands                    yes         yes
mbs-electronic-double-zero   3.7         yes
rws-money-wheel              yes         yes
"""


@pytest.mark.parametrize("row", WHEN.strip().splitlines()[1:])
def test_the_next_game_may_start_when_the_rules_allow_it(row: str) -> None:
    game, *expected = row.split()
    rulebook = find(game).rulebook
    for closed, wanted in zip((False, True), expected):
        match may_start(rulebook, bets_closed=closed):
            case NotYet(clause, _):
                assert clause == wanted
            case None:
                assert wanted == "yes"


def test_a_wheel_waits_for_a_command_if_bets_close_before_the_spin() -> None:
    assert Mode.WAIT_FOR_START in mode_for(find("mbs-electronic-double-zero").rulebook)
    assert Mode.WAIT_FOR_START not in mode_for(find("mbs-sands").rulebook)
