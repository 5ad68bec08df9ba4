"""The wire: its TypeScript types are those of Python, and nothing of another seat is ever public."""

from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundhouse.rules.names import Cents, StaffPosition
from roundhouse.server import seen, typescript
from roundhouse.server.wire import requests, sockets
from roundhouse.server.wire.public import AnyPublicEvent
from roundhouse.table import commands as c
from roundhouse.table import events as e
from roundhouse.table.names import SeatId

ROOT = Path(__file__).parents[2]
WIRE = ROOT / "web" / "src" / "wire.ts"


def test_the_types_in_typescript_are_those_of_python() -> None:
    assert WIRE.read_text(encoding="utf-8") == typescript.wire(), "write them anew with 'make wire'"


def test_every_name_in_typescript_is_declared_once() -> None:
    text = typescript.wire()
    declared = [line.split()[2] for line in text.splitlines() if line.startswith("export ")]
    assert len(declared) == len(set(declared)) > 150
    for line in text.splitlines():
        if line.startswith("export interface"):
            assert line.count("{") == line.count("}")


def test_every_command_can_be_asked_and_carries_nobodys_name() -> None:
    assert len(get_args(requests.AnyAsked)) == len(get_args(c.AnyCommand))
    for asked in get_args(requests.AnyAsked):
        names = {field.name for field in msgspec.structs.fields(asked)}
        assert not names & {"who", "second"}
        assert asked.__struct_config__.forbid_unknown_fields


@pytest.mark.parametrize("command", get_args(c.AnyCommand), ids=lambda command: command.__struct_config__.tag)
def test_what_is_asked_is_the_command_that_deal_would_take(command: type[c.Command]) -> None:
    """Every field of every command arrives, under the same name and of the same type."""
    values: dict[str, Any] = {
        "seat": "s", "terminal": "t", "cents": 5, "bets": [{"position": "red", "cents": 5}], "package": "p",
        "unit_cents": 5, "revolutions": 5, "outcome": "17", "irregularity": "i", "round": 7, "question": "q",
        "ruling": "void", "reason": "r", "ticket": "0", "last_rounds": 3, "limits": {"table": 500},
        "ball": "clockwise", "wheel": None, "seen": ["x"], "read_by": "wheel", "rounds": [1],
    }  # fmt: skip
    names = {field.name for field in msgspec.structs.fields(command)}
    body = {"id": "r1", "do": command.__struct_config__.tag, **{k: v for k, v in values.items() if k in names}}
    asked = msgspec.json.decode(msgspec.json.encode(body), type=sockets.FromClient)
    made = requests.command_of(asked, StaffPosition.DEALER, requests.seat_of(asked))
    assert made == msgspec.convert({**body, "by": "dealer"}, c.AnyCommand)


SEATS = st.sampled_from([SeatId(seat) for seat in ("one", "two", "three")])
OTHERS_MARK = 987_654_321
"""An amount that only others have: wherever it shows up, something of theirs is told."""


@st.composite
def events(draw: st.DrawFn) -> e.AnyEvent:
    """Any event, with seat ``one``'s own money small and everybody else's marked."""
    kind = draw(st.sampled_from(get_args(e.AnyEvent)))
    marked = st.just(Cents(OTHERS_MARK))
    words = st.just("a word")
    slip = st.dictionaries(st.just("red"), marked, min_size=1)
    special: dict[str, st.SearchStrategy[Any]] = {
        "seat": st.just(SeatId("two")), "bets": slip, "cents": marked, "staked": marked, "returned": marked,
        "reason": st.just(f"seat two has {OTHERS_MARK} cents"), "question": st.just(f"seat two: {OTHERS_MARK}"),
    }  # fmt: skip
    if kind is e.RoundSettled:
        special["seats"] = st.just({SeatId("two"): (OTHERS_MARK, OTHERS_MARK), SeatId("one"): (5, 10)})
    elif kind is e.RoundVoided:
        special["seats"] = st.just({SeatId("two"): OTHERS_MARK, SeatId("one"): 5})
    elif kind in (e.RoundCorrected, e.RoundReversed):
        other = e.Restated(SeatId("two"), Cents(OTHERS_MARK), Cents(0), taken=Cents(OTHERS_MARK))
        special["seats"] = st.just((other, e.Restated(SeatId("one"), Cents(5), Cents(0), taken=Cents(5))))
    plain: dict[Any, st.SearchStrategy[Any]] = {int: st.integers(1, 9), str: words}
    values = {}
    for field in msgspec.structs.fields(kind):
        values[field.name] = draw(special[field.name] if field.name in special else _any(field.type, plain))
    # Why people deal is shown at every terminal, and is not about a seat.
    if kind is e.ManualModeEntered:
        values["reason"] = "the wheel is cleaned"
    return kind(**values)  # type: ignore[no-any-return]


def _any(kind: Any, plain: dict[Any, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    info = msgspec.inspect.type_info(kind)
    match info:
        case msgspec.inspect.IntType():
            return plain[int]
        case msgspec.inspect.StrType():
            return plain[str]
        case msgspec.inspect.EnumType():
            return st.sampled_from(list(info.cls))
        case msgspec.inspect.VarTupleType():
            return st.just(())
        case msgspec.inspect.UnionType():
            return st.none() if info.includes_none else plain[int]
        case msgspec.inspect.StructType():
            return st.just(info.cls())
        case msgspec.inspect.DictType():
            return st.just({})
        case _:
            raise AssertionError(info)


@given(events())
def test_nothing_public_tells_anybodys_money(event: e.AnyEvent) -> None:
    public = seen.public_part(event)
    text = msgspec.json.encode(public).decode()
    assert str(OTHERS_MARK) not in text
    assert '"two"' not in text
    assert '"one"' not in text


@given(events())
def test_a_seat_is_told_its_own_part_and_no_other(event: e.AnyEvent) -> None:
    for part in (seen.own_part(event, SeatId("one")), seen.told_to(event, SeatId("one"), Cents(5))):
        text = msgspec.json.encode(part).decode()
        assert str(OTHERS_MARK) not in text
        assert '"two"' not in text


@given(events())
def test_a_seat_is_told_all_of_its_own(event: e.AnyEvent) -> None:
    if hasattr(event, "seat"):
        assert seen.own_part(event, SeatId("two")) == event
    if isinstance(event, e.RoundSettled):
        own = seen.own_part(event, SeatId("one"))
        assert isinstance(own, e.RoundSettled)
        assert (own.staked, own.returned, own.seats) == (5, 10, {"one": (5, 10)})


def test_the_public_part_has_the_names_of_the_journal() -> None:
    """A client reads one vocabulary, whoever it is."""
    stored = {str(kind.__struct_config__.tag) for kind in get_args(e.AnyEvent)}
    public = [str(kind.__struct_config__.tag) for kind in get_args(AnyPublicEvent)]
    assert len(public) == len(set(public))
    assert set(public) < stored
