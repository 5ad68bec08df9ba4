"""Decoding single lines of the wheel: a line is read completely or rejected."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundhouse.rules.judge import Direction
from roundhouse.wheel.protocol import (
    Code,
    ControlLine,
    Flag,
    GameNumber,
    State,
    Status,
    Unreadable,
    WinningNumber,
    encode_status,
    follows,
    parts,
    read,
)
from roundhouse.wheel.stream import MAX_LINE_BYTES, Splitter

STATUSES = st.builds(
    Status,
    st.sampled_from(State),
    st.integers(0, 999).map(lambda n: GameNumber(f"{n:03d}")),
    st.sampled_from(["  ", " 0", "00", " 7", "36", "+1"]).map(Code),
    st.integers(0, 15).map(Flag),
    st.integers(0, 999),
    st.sampled_from(Direction),
)


@given(STATUSES)
def test_a_status_is_read_as_it_was_written(status: Status) -> None:
    assert read(encode_status(status)) == status


@given(STATUSES, st.data())
def test_a_status_with_lost_bytes_is_rejected(status: Status, data: st.DataObject) -> None:
    line = encode_status(status)
    start = data.draw(st.integers(0, len(line) - 1))
    length = data.draw(st.integers(1, len(line) - start))
    assert not isinstance(read(line[:start] + line[start + length :]), Status)


@given(st.binary(max_size=60))
def test_any_bytes_can_be_decoded_without_a_crash(line: bytes) -> None:
    assert read(line) is not None


@pytest.mark.parametrize(
    "line",
    [
        b"*X;4;14*X;*X;4;146; 9;0;158;0",
        b"*X;4;146; 9;0;158;0*X;4;146; 9;0;158;0",
        b"*X;7;146; 9;0;158;0",
        b"*X;0;146; 9;0;158;0",
        b"*X;4;146;9;0;158;0",
        b"*X;4;146; 9;G;158;0",
        b"*X;4;146; 9;0;158;2",
        b"*X;4;146; 9;0;158;0 ",
        b" *X;4;146; 9;0;158;0",
        b"*X;4;1\xb246; 9;0;158;0",
        b"16*X;5;012;16;0;154;0",
        b"*X",
        b"6",
        b"6 ",
        b";0",
        b"",
    ],
)
def test_damaged_lines_are_unreadable(line: bytes) -> None:
    assert read(line) == Unreadable(line)


def test_lines_are_decoded_into_their_fields() -> None:
    assert read(b"00") == WinningNumber(Code("00"))
    assert read(b"*o BUSY") == ControlLine("o", "BUSY")
    assert read(b"*X;2;001;  ;a;001;1") == Status(
        State.PLACE_YOUR_BETS, GameNumber("001"), Code("  "), Flag(10), 1, Direction.ANTICLOCKWISE
    )
    assert parts(Flag(13)) == (1, 4, 8)
    assert not follows(GameNumber("012"), GameNumber("012"))


@given(st.lists(st.binary(max_size=40).filter(lambda b: not set(b) & set(b"\r\n[")), max_size=8), st.data())
def test_lines_do_not_depend_on_how_their_bytes_are_chunked(lines: list[bytes], data: st.DataObject) -> None:
    whole = b"\r\n".join(lines) + b"\r\n"
    cut = data.draw(st.integers(0, len(whole)))
    splitter = Splitter()
    received = [line.text for chunk in (whole[:cut], whole[cut:]) for line in splitter.feed(chunk)]
    assert received == [line for line in lines if line]


def test_the_rest_of_an_overlong_line_is_discarded() -> None:
    splitter = Splitter()
    noise, status = b"x" * (MAX_LINE_BYTES + 7), b"*X;5;012;16;0;154;0"
    received = [
        line.text for chunk in (noise, noise, status + b"\r\n", status + b"\r\n") for line in splitter.feed(chunk)
    ]
    assert received == [b"x" * MAX_LINE_BYTES, status]
    assert list(splitter.end()) == []
