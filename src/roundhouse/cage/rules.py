"""Checks that several deciders share. Each returns the refusal of a command, or ``None`` if it finds nothing wrong."""

from collections.abc import Collection
from typing import Final

from msgspec import UnsetType

from roundhouse.cage import events as e
from roundhouse.cage.commands import AnyCageCommand, Customer, Pieces
from roundhouse.cage.entry import CageDecision
from roundhouse.cage.names import MAX_CASH, MAX_INITIALS, MAX_REASON, CageRefusal, CageRefused, DrawerId
from roundhouse.cage.state import CageState
from roundhouse.rules.names import StaffPosition
from roundhouse.table.decision import source_of
from roundhouse.table.evidence import same_name
from roundhouse.table.names import PersonName

_MAX_KEYS: Final = 2
_MAX_KINDS: Final = 40


def accept(*events: e.AnyCageEvent, approvers: tuple[StaffPosition, ...] = ()) -> CageDecision:
    return CageDecision(events, None, approvers)


def refuse(refused: CageRefused) -> CageDecision:
    return CageDecision((), refused)


def not_authorised(command: AnyCageCommand, positions: Collection[StaffPosition]) -> CageRefused | None:
    """Refuse a sender without a name, or in another position than these."""
    if command.by not in positions:
        reason = f"this needs the position {' or '.join(sorted(positions))}"
        return CageRefused(CageRefusal.NOT_AUTHORISED, reason)
    if source_of(command).who is None:
        return CageRefused(CageRefusal.NOT_AUTHORISED, "the cage needs the name of the person")
    return None


def sender_of(command: AnyCageCommand) -> PersonName:
    """Return the person who sent a command. ``not_authorised`` must have accepted it."""
    who = source_of(command).who
    assert who is not None, "a command without a name is refused before"
    return who


def has_second_person(command: AnyCageCommand) -> bool:
    source = source_of(command)
    return source.who is not None and source.second is not None and not same_name(source.who, source.second)


def unusable(state: CageState, id: DrawerId, command: AnyCageCommand) -> CageRefused | None:
    """Refuse a drawer that is not open. A Cashier uses no drawer of another one."""
    drawer = state.drawers.get(id)
    if drawer is None:
        return CageRefused(CageRefusal.NO_SUCH_DRAWER, f"there is no drawer '{id}'")
    if not drawer.is_open:
        return CageRefused(CageRefusal.DRAWER_IS_CLOSED, f"drawer {id} is closed")
    if command.by is StaffPosition.CASHIER and drawer.cashier != sender_of(command):
        return CageRefused(CageRefusal.OTHER_DRAWER, f"drawer {id} is {drawer.cashier}'s")
    return None


def bad_amount(cents: int) -> CageRefused | None:
    if 0 < cents <= MAX_CASH:
        return None
    return CageRefused(CageRefusal.BAD_AMOUNT, f"the amount must be from 1 to {MAX_CASH} cents")


def bad_count(cents: int, pieces: tuple[Pieces, ...] | UnsetType) -> CageRefused | None:
    """Refuse a count whose pieces do not add up to ``cents``. Pieces need not be given."""
    if not 0 <= cents <= MAX_CASH:
        return CageRefused(CageRefusal.BAD_AMOUNT, f"the count must be from 0 to {MAX_CASH} cents")
    if isinstance(pieces, UnsetType):
        return None
    sound = len(pieces) <= _MAX_KINDS and all(one.cents > 0 and 0 <= one.pieces <= MAX_CASH for one in pieces)
    distinct = len({one.cents for one in pieces}) == len(pieces)
    total = sum(one.cents * one.pieces for one in pieces)
    if sound and distinct and total == cents:
        return None
    return CageRefused(CageRefusal.BAD_COUNT, f"the notes and coins add up to {total} cents, not to {cents}")


def given(pieces: tuple[Pieces, ...] | UnsetType) -> tuple[Pieces, ...]:
    return () if isinstance(pieces, UnsetType) else pieces


def bad_reason(text: str) -> CageRefused | None:
    if text.strip() and len(text) <= MAX_REASON:
        return None
    return CageRefused(CageRefusal.NO_REASON_GIVEN, f"give a reason of 1 to {MAX_REASON} characters")


def bad_customer(person: Customer | UnsetType) -> CageRefused | None:
    if isinstance(person, UnsetType):
        return None
    keys = person.keys
    if not 0 < len(keys) <= _MAX_KEYS or len(set(keys)) != len(keys) or not all(keys):
        return CageRefused(CageRefusal.BAD_PERSON, "give a name or the number of a document")
    if len(person.initials) > MAX_INITIALS or not person.initials.isprintable():
        return CageRefused(CageRefusal.BAD_PERSON, f"initials have at most {MAX_INITIALS} characters")
    return None


def is_barred(state: CageState, person: Customer | UnsetType) -> bool:
    if isinstance(person, UnsetType) or not state.terms.barred_list:
        return False
    return state.barred_as(person.keys) is not None


def is_large(state: CageState, cents: int) -> bool:
    """Return whether an amount needs a second person."""
    return bool(state.terms.second_person_from) and cents >= state.terms.second_person_from
