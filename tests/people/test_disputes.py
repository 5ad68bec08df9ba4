"""Tickets in dispute stay in dispute after a second restoration."""

from roundhouse.people.apply import apply
from roundhouse.people.events import (
    ENGINEER,
    HOUSE,
    Actor,
    AnyHouseEvent,
    DisputedTicket,
    HouseEntry,
    HouseRestored,
    TicketsDisputed,
)
from roundhouse.people.state import HouseState
from roundhouse.rules.names import Cents
from roundhouse.table.names import Millis


def test_a_later_restoration_that_lost_nothing_ends_no_dispute() -> None:
    first = DisputedTicket("digest of the first", "1111", Cents(500))
    second = DisputedTicket("digest of the second", "2222", Cents(700))
    steps: list[tuple[Actor, AnyHouseEvent]] = [
        (ENGINEER, HouseRestored(1, {}, "a")),
        (HOUSE, TicketsDisputed(1, {}, False, (first,))),
        (ENGINEER, HouseRestored(2, {}, "b")),
        (HOUSE, TicketsDisputed(2, {}, True, ())),
        (ENGINEER, HouseRestored(3, {}, "c")),
        (HOUSE, TicketsDisputed(3, {}, False, (second,))),
    ]
    state = HouseState()
    for seq, (by, event) in enumerate(steps, 1):
        apply(state, HouseEntry(seq, Millis(seq), by, event))
    assert state.disputed == {first.digest: first, second.digest: second}
    assert state.disputed_in == 3
