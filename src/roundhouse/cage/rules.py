"""Helpers of the deciders: refusals, the drawer and the person of a command, and when a second person is needed."""

from collections.abc import Collection
from typing import Final

from roundhouse.cage import events as e
from roundhouse.cage.commands import AnyCageCommand, Customer, Pieces
from roundhouse.cage.entry import CageDecision
from roundhouse.cage.names import (
    MAX_CASH,
    MAX_INITIALS,
    MAX_REASON,
    CageRefusal,
    CageRefused,
    DrawerId,
)
from roundhouse.cage.state import CageState, Drawer
from roundhouse.rules.names import StaffPosition
from roundhouse.table.decision import source_of
from roundhouse.table.evidence import same_name
from roundhouse.table.names import PersonName

_MAX_KEYS: Final = 2
_MAX_KINDS: Final = 40


class Refuse(Exception):
    """Ends a decision with a refusal. ``decide`` catches it."""

    def __init__(self, refusal: CageRefusal, reason: str | None = None) -> None:
        super().__init__(refusal)
        self.refused = CageRefused(refusal, reason)


def accept(*events: e.AnyCageEvent, approvers: tuple[StaffPosition, ...] = ()) -> CageDecision:
    return CageDecision(events, None, approvers)


def sender_of(command: AnyCageCommand, positions: Collection[StaffPosition]) -> PersonName:
    """Return the person who sent a command, who must act in one of these positions."""
    source = source_of(command)
    if command.by not in positions:
        raise Refuse(CageRefusal.NOT_AUTHORISED, f"this needs the position {' or '.join(sorted(positions))}")
    if source.who is None:
        raise Refuse(CageRefusal.NOT_AUTHORISED, "the cage needs the name of the person")
    return source.who


def has_second_person(command: AnyCageCommand) -> bool:
    source = source_of(command)
    return source.who is not None and source.second is not None and not same_name(source.who, source.second)


def open_drawer_of(state: CageState, id: DrawerId, who: PersonName | None) -> Drawer:
    """Return an open drawer. With ``who``, it must be that person's."""
    drawer = state.drawers.get(id)
    if drawer is None:
        raise Refuse(CageRefusal.NO_SUCH_DRAWER, f"there is no drawer '{id}'")
    if not drawer.is_open:
        raise Refuse(CageRefusal.DRAWER_IS_CLOSED, f"drawer {id} is closed")
    if who is not None and drawer.cashier != who:
        raise Refuse(CageRefusal.OTHER_DRAWER, f"drawer {id} is {drawer.cashier}'s")
    return drawer


def check_amount(cents: int) -> None:
    if not 0 < cents <= MAX_CASH:
        raise Refuse(CageRefusal.BAD_AMOUNT, f"the amount must be from 1 to {MAX_CASH} cents")


def count_of(cents: int, pieces: object) -> tuple[Pieces, ...]:
    """Return the pieces of a count, whose sum must be ``cents``. Pieces need not be given."""
    if not 0 <= cents <= MAX_CASH:
        raise Refuse(CageRefusal.BAD_AMOUNT, f"the count must be from 0 to {MAX_CASH} cents")
    if not isinstance(pieces, tuple):
        return ()
    sound = len(pieces) <= _MAX_KINDS and all(one.cents > 0 and 0 <= one.pieces <= MAX_CASH for one in pieces)
    distinct = len({one.cents for one in pieces}) == len(pieces)
    total = sum(one.cents * one.pieces for one in pieces)
    if not (sound and distinct and total == cents):
        raise Refuse(CageRefusal.BAD_COUNT, f"the notes and coins add up to {total} cents, not to {cents}")
    return pieces


def reason_of(text: str) -> str:
    if not text.strip() or len(text) > MAX_REASON:
        raise Refuse(CageRefusal.NO_REASON_GIVEN, f"give a reason of 1 to {MAX_REASON} characters")
    return text


def check_customer(person: Customer) -> None:
    keys = person.keys
    if not 0 < len(keys) <= _MAX_KEYS or len(set(keys)) != len(keys) or not all(keys):
        raise Refuse(CageRefusal.BAD_PERSON, "give a name or the number of a document")
    if len(person.initials) > MAX_INITIALS or not person.initials.isprintable():
        raise Refuse(CageRefusal.BAD_PERSON, f"initials have at most {MAX_INITIALS} characters")
