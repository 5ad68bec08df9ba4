"""The evidence that establishes an outcome: every case of the decision page, as a short recording.

A row ``4 012 27 2 x3`` means three statuses in state 4 of game 012 with last number 27 and flags 2. ``=16`` is a
literal line.
"""

import pytest

from roundhouse.wheel.readings import OutcomeReading, UnresolvedReading, VoidReading
from tests.support.recordings import outcomes, read, read_bytes

BEFORE = "2 012 27 x4\n3 012 27 x5\n4 012 27 x8\n"
NEXT = "2 013 16 x4\n"


@pytest.mark.parametrize(
    ("case", "recording"),
    [
        ("number line, statuses, next game", BEFORE + "=16\n5 012 16 x3\n" + NEXT),
        ("the number line was lost", BEFORE + "5 012 16 x3\n" + NEXT),
        ("one status in state 5", BEFORE + "5 012 16\n" + NEXT),
        ("one status in state 5, and nothing after it", BEFORE + "5 012 16"),
        ("the statuses were lost, the number line and the next game agree", BEFORE + "=16\n" + NEXT),
        ("all was lost, and the next game shows the number", BEFORE + NEXT),
        ("the number line came twice", BEFORE + "=16\n=16\n5 012 16\n" + NEXT),
        ("the number line was cut to one character", BEFORE + "=1\n5 012 16 x2\n" + NEXT),
        ("one status shows another number", BEFORE + "=16\n5 012 18\n5 012 16 x2\n" + NEXT),
        ("the number line says another number than all others", BEFORE + "=18\n5 012 16 x2\n" + NEXT),
        ("a command to the wheel was cut to two characters", BEFORE + "=15\n4 012 27\n=16\n5 012 16\n" + NEXT),
        ("joined halves of two lines have the next game's counter", BEFORE + "=16\n5 012 16 x2\n5 013 16\n" + NEXT),
        ("the same halves right after the number line", BEFORE + "=16\n5 013 16\n" + NEXT),
        ("joined halves of two lines look like a ball status", BEFORE + "=16\n5 012 16 x2\n4 013 16\n" + NEXT),
        ("the recording starts with the number", "5 012 16\n" + NEXT),
        ("the recording starts with the number and ends", "5 012 16 x2"),
        ("the recording starts with the ball in the rim", "4 012 27 x3\n=16\n5 012 16\n" + NEXT),
        ("no line arrived between the bets and the number", "2 012 27 x3\n5 012 16 x2\n" + NEXT),
        ("closed in state 5", BEFORE + "=16\n5 012 16\n6 012 16 x3"),
        ("the ball is removed after the number was established", BEFORE + "=16\n5 012 16\n5 012 16 1 x2\n" + NEXT),
        ("the state is misread once as a step back", BEFORE + "2 012 27\n4 012 27 x2\n=16\n5 012 16\n" + NEXT),
        ("the state is misread once as closed", BEFORE + "6 012 27\n4 012 27 x2\n=16\n5 012 16\n" + NEXT),
        ("the counter is misread once", BEFORE + "4 112 27\n4 012 27 x2\n=16\n5 012 16\n" + NEXT),
        ("a status of the ball is misread as a number", BEFORE + "5 012 27\n4 012 27 x3\n=16\n5 012 16\n" + NEXT),
        ("a status of the number is misread as the ball", BEFORE + "=16\n5 012 16\n4 012 16\n5 012 16\n" + NEXT),
        ("the number is misread as an early start", BEFORE + "=16\n5 012 16 x2\n1 012 16\n5 012 16\n" + NEXT),
        ("launches failed before", "2 012 27 x3\n2 012 27 8 x20\n2 012 27 x4\n" + BEFORE + "=16\n5 012 16\n" + NEXT),
        ("an earlier launch went with the rotor", "2 012 27 2 x4\n" + BEFORE + "=16\n5 012 16\n" + NEXT),
        ("a sensor failed and recovered", BEFORE + "4 012 27 4 x4\n4 012 27 x2\n=16\n5 012 16\n" + NEXT),
        ("the ball was not sensed for a while", BEFORE + "4 012 27 1 x4\n=16\n5 012 16\n" + NEXT),
    ],
)
def test_these_recordings_establish_the_outcome(case: str, recording: str) -> None:
    assert outcomes(read(recording)) == [("012", "16")], case
    assert len(read(recording)) == 1


@pytest.mark.parametrize(
    ("case", "recording", "message"),
    [
        ("a number line alone, and no further line", BEFORE + "=16", "no status confirmed"),
        ("a number line against the next game", BEFORE + "=16\n2 013 27 x3", "contradicts itself"),
        ("a number line, then the ball still in the rim", BEFORE + "=16\n4 012 27 x3\n2 013 27 x3", "another game"),
        ("statuses against each other", BEFORE + "5 012 16\n5 012 18\n2 013 20 x3", "contradicts itself"),
        ("the next game shows the same number as before", BEFORE + "2 013 27 x3", "no number was received"),
        ("a single status shows the next game", BEFORE + "2 013 16", "no number was received"),
        ("after 999 comes 000", BEFORE.replace("012", "999") + "2 001 16 x3", "counter jumped"),
        ("the next game is not the next", BEFORE + "2 015 16 x3", "counter jumped"),
        ("the ball was fast when the line was lost", "3 012 27 x4\n2 013 16 x3", "shows 16 as the last number"),
        ("one status without a ball and without a new number", "2 012 27 x3\n5 012 27", "no ball had been seen"),
        ("the ball is not sensed as the recording ends", BEFORE + "4 012 27 1 x3", "connection or recording ended"),
        ("back to the bets", BEFORE + "2 012 27 x6", "returned to 'place your bets'"),
        ("closed", BEFORE + "6 012 27 x6", "void under 5.1.2"),
        ("power came back with a new counter", BEFORE + "6 001 __ x6", "counter jumped"),
        ("a sensor failed", BEFORE + "4 012 27 4 x6\n6 012 27 4 x4", "sensor"),
        ("a sensor failed, so that no other warning counts", BEFORE + "4 012 27 6 x6\n2 012 27 x4", "sensor"),
        ("a number, but only with a failure", BEFORE + "=16\n5 012 16 4 x3\n" + NEXT, "together with a failure"),
        ("a number that the wheel calls void", BEFORE + "5 012 16 8 x3\n" + NEXT, "together with a failure"),
        ("a number that is not on the wheel", BEFORE + "5 012 99 x3\n2 013 99 x3", "'99', which is not a place"),
        ("a number that is blank", BEFORE + "5 012 __ x3", "showed none"),
        ("the recording ends", BEFORE, "recording ended with the ball in the rim"),
        (
            "the ball was gone before it was launched",
            "2 012 27 x2\n2 012 27 1 x4\n6 012 27 x3",
            "before it was in the rim",
        ),
    ],
)
def test_these_recordings_leave_the_outcome_unresolved(case: str, recording: str, message: str) -> None:
    (reading,) = read(recording)
    assert isinstance(reading, UnresolvedReading), case
    assert message in reading.unresolved
    assert reading.game in ("012", "999")


@pytest.mark.parametrize(
    ("case", "recording", "clauses", "flags"),
    [
        ("ball with the rotor, back to the bets", "3 012 27 2 x4\n2 012 27 x4", ["5.3.6"], [2]),
        ("ball with the rotor, yet a number", "3 012 27 2 x4\n4 012 27 x4\n=16\n5 012 16 x2\n" + NEXT, ["5.3.6"], [2]),
        ("ball with the rotor, and the line ends", "3 012 27 2 x4", ["5.3.6"], [2]),
        ("ball with the rotor before a revolution", "2 012 27 2 x4\n2 013 27 x3", ["5.3.6"], [2]),
        ("the ball is gone", BEFORE + "4 012 27 1 x3\n2 012 27 1 x3", ["5.3.4"], [1]),
        ("gone, as the wheel reports when it returns to the bets", BEFORE + "2 012 27 1 x3", ["5.3.4"], [1]),
        ("gone, and with the rotor", "3 012 27 3 x4\n2 012 27 x3", ["5.3.4", "5.3.6"], [1, 2]),
        ("the launch failed and no other came", "2 012 27 8 x9\n6 012 27 x3", ["5.3.2"], [8]),
        ("ball with the rotor after a failed launch", "2 012 27 8 x9\n3 012 27 2 x4\n2 012 27 x4", ["5.3.6"], [2]),
        (
            "the ball turned with the rotor and was then taken out",
            "4 012 27 2 x4\n5 012 16 x2\n5 012 16 1 x2\n" + NEXT,
            ["5.3.6"],
            [2],
        ),
        ("the launch failed in the rim", "2 012 27\n3 012 27 x2\n2 012 27 8 x9", ["5.3.2"], [8]),
    ],
)
def test_these_recordings_give_a_void_game(case: str, recording: str, clauses: list[str], flags: list[int]) -> None:
    (reading,) = read(recording)
    assert isinstance(reading, VoidReading), case
    assert (list(reading.void), list(reading.flags)) == (clauses, flags)


def test_a_warning_is_mapped_to_the_clause_of_the_rulebook() -> None:
    wrong_way = "3 012 27 2 x4\n2 012 27 x4"
    for game, clause in (("mbs-sands", "5.1"), ("mbs-electronic-double-zero", "5.1"), ("rws-triple-zero", "5.3.6")):
        assert [reading.void for reading in read(wrong_way, game) if isinstance(reading, VoidReading)] == [(clause,)]


@pytest.mark.parametrize(
    ("case", "recording"),
    [
        ("bets, and closed", "2 012 27 x9\n6 012 27 x4"),
        ("never opened", "6 012 27 x40"),
        ("opened and waiting", "6 012 27 x3\n=*P 1\n=*P OK\n1 012 27 x9\n2 012 27 x5"),
        ("a game of which only the betting was received", "2 012 27 x4\n2 013 16 x4"),
        ("a number that only the game before had", "2 013 16 x3\n5 013 16\n2 013 16 x3"),
        ("a warning while closed", "6 012 27 4 x9"),
        (
            "a warning that persists since the wheel was closed",
            "6 012 27 4 x9\n1 012 27 4 x5\n2 012 27 4 x5\n6 012 27 4 x3",
        ),
        ("commands of the operator", "=*P 1\n=*o 128\n=*o BUSY\n=*T x\n=*T d 15\n=*V\n=27\n=_6"),
        ("an empty recording", ""),
    ],
)
def test_these_recordings_contain_no_game(case: str, recording: str) -> None:
    assert read(recording) == [], case


def test_a_second_launch_with_the_same_counter_is_a_separate_game() -> None:
    again = BEFORE + "2 012 27 1 x6\n2 012 27 x4\n" + BEFORE + "=16\n5 012 16 x2\n" + NEXT
    assert [type(reading) for reading in read(again)] == [VoidReading, OutcomeReading]
    assert outcomes(read(again)) == [("012", "16")]


def test_a_number_line_belongs_to_the_game_whose_number_follows() -> None:
    first, second = read(BEFORE + "=18\n5 013 18 x2\n2 014 18 x3")
    assert isinstance(first, UnresolvedReading)
    assert "no number was received" in first.unresolved
    assert "no status confirmed" not in first.unresolved
    assert outcomes([second]) == [("013", "18")]


def test_a_number_is_reported_once() -> None:
    assert outcomes(read(BEFORE + "=16\n5 012 16 x2\n2 012 16 x3\n5 012 16 x3\n" + NEXT)) == [("012", "16")]


def test_the_counter_may_wrap_and_outcomes_may_repeat() -> None:
    games = "".join(
        f"2 {game} {before}\n3 {game} {before} x3\n4 {game} {before} x9\n={number}\n5 {game} {number} x2\n"
        for game, before, number in (("998", "27", "16"), ("999", "16", "16"), ("000", "16", "_0"), ("001", "_0", "00"))
    )
    assert outcomes(read(games)) == [("998", "16"), ("999", "16"), ("000", "0"), ("001", "00")]
    assert len(read(games + games)) == 8


@pytest.mark.parametrize("end", [b"\r\n", b"\n", b"\r", b"\n\r\n"])
def test_every_line_ending_is_accepted(end: bytes) -> None:
    assert outcomes(read(BEFORE + "=16\n5 012 16\n" + NEXT, end=end)) == [("012", "16")]


def test_timestamps_of_a_recorder_are_not_part_of_the_lines() -> None:
    from tests.support.recordings import lines

    wheel_lines = lines(BEFORE + "=16\n5 012 16\n" + NEXT)
    mark = b"[2026-03-01 20:15:%02d.250] Receive >>> "
    data = b"".join(mark % i + line + b"\r\n" for i, line in enumerate(wheel_lines))
    data += b"[2026-03-01 20:16:00.250] Send <<< *P 0\n[2026-03-01 20:16:00.250] Note >>> *X;5;013;33;0;150;0\n" * 3
    assert outcomes(read_bytes(data)) == [("012", "16")]


def test_the_next_game_is_no_evidence_after_a_long_silence() -> None:
    from tests.support.recordings import lines

    early, late = lines(BEFORE), lines(NEXT)
    data = b"".join(b"[2026-03-01 20:15:00.250] Receive >>> " + line + b"\n" for line in early)
    for hour, expected in ((b"20:15:30", [("012", "16")]), (b"23:00:00", [])):
        rest = b"".join(b"[2026-03-01 " + hour + b".250] Receive >>> " + line + b"\n" for line in late)
        assert outcomes(read_bytes(data + rest)) == expected
