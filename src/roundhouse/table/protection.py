"""A Player's protection: limits of loss, stake and time, reality checks and breaks, kept for the session of a seat.

A stricter limit counts at once. A looser one counts after the delay that the house sets; until then it is pending.
A limit bounds the worst case: chips on the layout count as lost. Bets read this module only if the seat has
protection.
"""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from msgspec import Struct, field
from msgspec.structs import replace

from roundhouse.table.names import Millis
from roundhouse.table.refusals import Refusal, Refused

MINUTE: Final = 60_000
HOUR: Final = 60 * MINUTE

LimitName = Literal["loss_cents", "stake_cents", "session_stake_cents", "minutes", "check_minutes"]
LIMIT_NAMES: Final[tuple[LimitName, ...]] = get_args(LimitName)


class PlayLimits(Struct, frozen=True, omit_defaults=True):
    """Limits of a Player's session. ``None`` is no limit; a smaller value is always stricter."""

    loss_cents: int | None = None
    """The most that the session may lose."""
    stake_cents: int | None = None
    """The most that may be on the layout in one round."""
    session_stake_cents: int | None = None
    """The most that may be staked in the session."""
    minutes: int | None = None
    """How long the session may last."""
    check_minutes: int | None = None
    """Time between two reality checks."""

    def of(self, name: LimitName) -> int | None:
        found: int | None = getattr(self, name)
        return found


NO_LIMITS: Final = PlayLimits()


class HouseProtection(Struct, frozen=True, omit_defaults=True):
    """Settings of the house for the protection of Players. Without a configuration the defaults apply."""

    raise_after: Millis = Millis(24 * HOUR)
    """Delay after which a looser limit counts."""
    limits: PlayLimits = NO_LIMITS
    """Limits of every session. A Player may set stricter ones only."""
    required: tuple[LimitName, ...] = ()
    """Limits that a Player must set before the first bet."""
    max_break_minutes: int = 7 * 24 * 60
    new_session_after: Millis = Millis(15 * MINUTE)
    """How long a seat must be without credits and chips before a purchase begins a new session."""

    @property
    def has_limits(self) -> bool:
        return bool(self.required) or self.limits != NO_LIMITS


NO_HOUSE_PROTECTION: Final = HouseProtection()


class PendingLimit(Struct, frozen=True):
    """A looser limit that counts later."""

    value: int | None
    begins: Millis


class Protection(Struct):
    """The protection of a seat's session."""

    limits: PlayLimits
    checked_at: Millis
    """When the last reality check was acknowledged, or the session began."""
    pending: dict[LimitName, PendingLimit] = field(default_factory=dict)
    break_until: Millis = Millis(0)
    required: tuple[LimitName, ...] = ()

    def limits_at(self, at: Millis) -> PlayLimits:
        return limits_at(self.limits, self.pending, at) if self.pending else self.limits

    def missing_at(self, at: Millis) -> tuple[LimitName, ...]:
        """Return the limits that the house requires and the Player has not set."""
        limits = self.limits_at(at)
        return tuple(name for name in self.required if limits.of(name) is None)

    def check_due_at(self, at: Millis) -> Millis | None:
        """Return when the next reality check is due; ``None`` if there are none."""
        minutes = self.limits_at(at).check_minutes
        return None if minutes is None else Millis(self.checked_at + minutes * MINUTE)


class CarriedProtection(Struct, frozen=True, omit_defaults=True):
    """The protection that a ticket carries along."""

    limits: PlayLimits
    since_check: Millis
    """Time played since the last reality check."""
    pending: dict[LimitName, PendingLimit] = {}
    break_until: Millis = Millis(0)
    required: tuple[LimitName, ...] = ()


def limits_at(limits: PlayLimits, pending: Mapping[LimitName, PendingLimit], at: Millis) -> PlayLimits:
    """Return the limits in force at a time."""
    begun = {name: one.value for name, one in pending.items() if at >= one.begins}
    return replace(limits, **begun) if begun else limits


def is_stricter(value: int | None, than: int | None) -> bool:
    """Return whether a limit is at least as strict as another one."""
    return than is None or (value is not None and value <= than)


def strictest(one: int | None, other: int | None) -> int | None:
    return one if is_stricter(one, other) else other


def house_limits_of(limits: PlayLimits, house: HouseProtection) -> PlayLimits:
    """Return limits that are at least as strict as those of the house."""
    return PlayLimits(*(strictest(limits.of(name), house.limits.of(name)) for name in LIMIT_NAMES))


def changed_limits(
    now: PlayLimits,
    pending: Mapping[LimitName, PendingLimit],
    asked: Mapping[LimitName, int | None],
    at: Millis,
    raise_after: Millis,
) -> tuple[PlayLimits, dict[LimitName, PendingLimit]]:
    """Return the limits in force and the pending ones after a request. Names that were not asked stay as they are."""
    limits, later = now, {name: one for name, one in pending.items() if at < one.begins}
    for name, value in asked.items():
        waiting = later.pop(name, None)
        if is_stricter(value, now.of(name)):
            limits = replace(limits, **{name: value})
        elif waiting is not None and is_stricter(value, waiting.value):
            # At least as much was asked for before, so the delay does not begin again.
            later[name] = PendingLimit(value, waiting.begins)
        else:
            later[name] = PendingLimit(value, Millis(at + raise_after))
    return limits, later


def merged(here: Protection, brought: CarriedProtection, at: Millis) -> Protection:
    """Return the stricter of two protections at every time: that of a seat, and that of a ticket."""
    one, other = here.limits_at(at), limits_at(brought.limits, brought.pending, at)
    limits = PlayLimits(*(strictest(one.of(name), other.of(name)) for name in LIMIT_NAMES))
    pending: dict[LimitName, PendingLimit] = {}
    for name in LIMIT_NAMES:
        mine, theirs = (_later(known, name, at) for known in (here.pending, brought.pending))
        if mine is None and theirs is None:
            continue
        value = strictest(mine.value if mine else one.of(name), theirs.value if theirs else other.of(name))
        if not is_stricter(value, limits.of(name)):
            begins = max(found.begins for found in (mine, theirs) if found is not None)
            pending[name] = PendingLimit(value, begins)
    checked = [here.checked_at] if one.check_minutes is not None else []
    if other.check_minutes is not None:
        checked.append(Millis(at - brought.since_check))
    return Protection(
        limits,
        min(checked, default=at),
        pending,
        max(here.break_until, brought.break_until),
        tuple(dict.fromkeys((*here.required, *brought.required))),
    )


def _later(pending: Mapping[LimitName, PendingLimit], name: LimitName, at: Millis) -> PendingLimit | None:
    found = pending.get(name)
    return found if found is not None and at < found.begins else None


def refuse_play(protection: Protection, began: Millis, at: Millis) -> Refused | None:
    """Refuse a bet at this time, whatever its stake."""
    if at < protection.break_until:
        minutes = -(-(protection.break_until - at) // MINUTE)
        return Refused(Refusal.ON_A_BREAK, reason=f"the Player's break lasts {minutes} more minutes")
    limits = protection.limits_at(at)
    if limits.minutes is not None and at - began >= limits.minutes * MINUTE:
        return Refused(Refusal.TIME_LIMIT, reason=f"the Player's time limit of {limits.minutes} minutes is reached")
    if limits.check_minutes is not None and at - protection.checked_at >= limits.check_minutes * MINUTE:
        reason = f"{limits.check_minutes} minutes have passed: send 'acknowledge_check' first"
        return Refused(Refusal.REALITY_CHECK_DUE, reason=reason)
    if protection.required and (missing := protection.missing_at(at)):
        return Refused(Refusal.LIMITS_NEEDED, reason=f"set {', '.join(missing)} with 'set_protection' first")
    return None


def refuse_stake(limits: PlayLimits, total: int, on_layout: int, staked: int, net: int) -> Refused | None:
    """Refuse ``total`` cents of new bets, if they could pass a limit. ``staked`` and ``net`` are of the session."""
    if limits.stake_cents is not None and on_layout + total > limits.stake_cents:
        return _over(Refusal.STAKE_LIMIT, total, limits.stake_cents - on_layout, "stake limit of a round")
    if limits.session_stake_cents is not None and staked + total > limits.session_stake_cents:
        return _over(Refusal.STAKE_LIMIT, total, limits.session_stake_cents - staked, "stake limit of the session")
    if limits.loss_cents is not None and on_layout + total > limits.loss_cents + net:
        return _over(Refusal.LOSS_LIMIT, total, limits.loss_cents + net - on_layout, "loss limit")
    return None


def _over(refusal: Refusal, total: int, left: int, name: str) -> Refused:
    return Refused(refusal, reason=f"the bets need {total} cents, but the Player's {name} leaves {max(0, left)}")
