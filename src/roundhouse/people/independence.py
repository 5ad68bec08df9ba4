"""Decides whether two people are independent of each other, so that one may approve what the other proposes.

A person who gives another an account, a password, a position or a term could act in that person's name, or have the
position given for one approval. For a day the two do not count as two persons.
"""

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from roundhouse.people.names import DAY, HouseRefusal, HouseRefused, PersonId
from roundhouse.table.names import Millis


class Gifts(Struct, frozen=True):
    """Gifts of other people to a person. Those of the engineer do not count."""

    given: dict[PersonId, Millis] = field(default_factory=dict)
    """Last time at which each person gave the account, a password, a position or a term."""
    passwords: dict[PersonId, Millis] = field(default_factory=dict)
    """Last time at which each person gave the account or a password."""
    password_by: PersonId | None = None
    """Person who set the password in use; ``None`` if the holder or the engineer did."""


AllGifts = dict[PersonId, Gifts] | UnsetType
_NOTHING = Gifts()


def with_gift(gifts: AllGifts, to: PersonId, by: PersonId, at: Millis, password: bool) -> dict[PersonId, Gifts]:
    """Record what a person gave to another. ``password`` tells that it was an account or a password."""
    known = gifts or {}
    found = known.get(to, _NOTHING)
    changed = replace(found, given={**found.given, by: at})
    if password:
        changed = replace(changed, passwords={**found.passwords, by: at}, password_by=by)
    return {**known, to: changed}


def with_own_password(gifts: AllGifts, person: PersonId) -> AllGifts:
    """Record that a person, or the engineer for the person, set the password."""
    if gifts is UNSET or person not in gifts:
        return gifts
    return {**gifts, person: replace(gifts[person], password_by=None)}


def dependence(gifts: AllGifts, proposer: PersonId, approver: PersonId, at: Millis) -> HouseRefused | None:
    """Return the refusal if the approver is not independent of the proposer, else ``None``."""
    known = gifts or {}
    if (by := known.get(approver, _NOTHING).password_by) is not None:
        return HouseRefused(HouseRefusal.PASSWORD_NOT_OWN, f"{by} set your password; change it before you approve")
    if proposer in _sources(known, approver, at, passwords_only=False):
        reason = f"within a day {proposer} gave {approver} the account, the password, a position or a term"
        return HouseRefused(HouseRefusal.NOT_INDEPENDENT, reason)
    if approver in _sources(known, proposer, at, passwords_only=True):
        reason = f"within a day {approver} gave {proposer} the account or the password"
        return HouseRefused(HouseRefusal.NOT_INDEPENDENT, reason)
    return None


def _sources(gifts: dict[PersonId, Gifts], person: PersonId, at: Millis, passwords_only: bool) -> set[PersonId]:
    """Return the people from whom a person has something of the last day, directly or through others."""
    found: set[PersonId] = set()
    waiting = [person]
    while waiting:
        one = gifts.get(waiting.pop(), _NOTHING)
        recent = {by for by, when in (one.passwords if passwords_only else one.given).items() if at - when < DAY}
        waiting.extend(recent - found)
        found |= recent
    return found
