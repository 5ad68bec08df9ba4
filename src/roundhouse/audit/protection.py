"""Proves that no accepted bet passed a Player's limit.

The figures of a session are added up from the events of each seat, and every accepted bet is compared with the limits
on record. Nothing here calls the code that decides bets or keeps the session of a seat.
"""

from collections.abc import Iterator
from typing import Final, NoReturn

from msgspec import Struct, field

from roundhouse.audit.discrepancy import fail
from roundhouse.journal.entry import Entry
from roundhouse.table import events as e
from roundhouse.table.names import Millis, SeatId, TableId
from roundhouse.table.protection import CarriedProtection, HouseProtection, LimitName, PendingLimit, PlayLimits
from roundhouse.table.sessions import CarriedSession, Figures, SessionId

_NAMES: Final[tuple[LimitName, ...]] = (
    "loss_cents",
    "stake_cents",
    "session_stake_cents",
    "minutes",
    "check_minutes",
)
_MINUTE: Final = 60_000
_NONE: Final = float("inf")
"""Stands for no limit in comparisons of limits, not of money."""
_MOST_IDS: Final = 16
_DEFAULT_DELAY: Final = 24 * 3600 * 1000


class _Line(Struct):
    """One limit: its value, and a looser value that counts later."""

    value: int | None = None
    later: int | None = None
    begins: int | None = None

    def at(self, at: int) -> int | None:
        return self.later if self.begins is not None and at >= self.begins else self.value


def _stricter(one: int | None, other: int | None) -> int | None:
    return min((found for found in (one, other) if found is not None), default=None)


def _looser(one: int | None, than: int | None) -> bool:
    return (_NONE if one is None else one) > (_NONE if than is None else than)


class _Seat(Struct):
    """The session of one seat, from its events."""

    on_layout: int = 0
    net: int = 0
    staked: int = 0
    """Stakes of settled rounds."""
    ids: tuple[SessionId, ...] = ()
    began: int = 0
    elsewhere: Figures | None = None
    """Figures that another part of the session counts as well."""
    lines: dict[LimitName, _Line] = field(default_factory=lambda: {name: _Line() for name in _NAMES})
    checked: int = 0
    resumes: int = 0
    """End of the break."""
    required: tuple[LimitName, ...] = ()

    def begin(self, seat: SeatId, at: int) -> None:
        self.net = self.staked = self.resumes = 0
        self.ids, self.began, self.checked = (SessionId(f"{seat}@{at}"),), at, at
        # Chips that lie on the layout belong to the session before.
        self.staked = -self.on_layout
        self.elsewhere, self.required = None, ()
        self.lines = {name: _Line() for name in _NAMES}


class ProtectionProof:
    """Follows the sessions of one table's seats."""

    def __init__(self, table: TableId) -> None:
        self._table = table
        self._seats: dict[SeatId, _Seat] = {}
        self.bets = 0
        """Number of accepted bets that were compared with a limit."""

    def check(self, entry: Entry) -> None:
        """Check the accepted bets of an entry, and follow its other events."""
        for event in entry.events:
            self._follow(entry, event)

    def _follow(self, entry: Entry, event: e.AnyEvent) -> None:
        at = entry.facts.at
        match event:
            case e.BetsPlaced(id, bets):
                self._check_bet(entry, self._seat(id), sum(bets.values()))
            case e.BetsWithdrawn(id, bets):
                self._seat(id).on_layout -= sum(bets.values())
            case e.CreditsBought(id):
                self._receive(id, event, at)
            case e.TicketRedeemed(id):
                self._redeem(id, event, at)
            case e.CashedOut(id):
                self._cash_out(entry, self._seat(id), event)
            case e.ProtectionSet():
                self._set(entry, event)
            case e.BreakTaken(id, until):
                self._known(id, at).resumes = until
            case e.CheckAcknowledged(id, net, _):
                seat = self._known(id, at)
                if net != seat.net:
                    self._fail(entry, "a reality check showed a wrong net result", seat.net, net)
                seat.checked = at
            case _:
                for id, staked, net in _results(event):
                    seat = self._seat(id)
                    seat.on_layout -= staked
                    seat.staked += staked if isinstance(event, e.RoundSettled) else 0
                    seat.net += net

    def _seat(self, id: SeatId) -> _Seat:
        return self._seats.setdefault(id, _Seat())

    def _known(self, id: SeatId, at: int) -> _Seat:
        seat = self._seat(id)
        if not seat.ids:
            seat.begin(id, at)
        return seat

    def _check_bet(self, entry: Entry, seat: _Seat, cents: int) -> None:
        at, lines = entry.facts.at, seat.lines
        limits = {name: line.at(at) for name, line in lines.items()}
        if any(limit is not None for limit in limits.values()) or seat.resumes or seat.required:
            self.bets += 1
        if at < seat.resumes:
            self._fail(entry, "a bet was accepted during the Player's break", f"none before {seat.resumes}", at)
        if (most := limits["minutes"]) is not None and at >= seat.began + most * _MINUTE:
            what = "a bet was accepted after the Player's time limit"
            self._fail(entry, what, f"none from {seat.began + most * _MINUTE} on", at)
        if (every := limits["check_minutes"]) is not None and at >= seat.checked + every * _MINUTE:
            what = "a bet was accepted although a reality check was due"
            self._fail(entry, what, f"an acknowledgement before {seat.checked + every * _MINUTE}", at)
        if missing := [name for name in seat.required if limits[name] is None]:
            self._fail(entry, "a bet was accepted without a limit that the house requires", missing, None)
        seat.on_layout += cents
        worst = {
            "loss_cents": seat.on_layout - seat.net,
            "stake_cents": seat.on_layout,
            "session_stake_cents": seat.staked + seat.on_layout,
        }
        for name, reached in worst.items():
            if (most := limits[name]) is not None and reached > most:  # type: ignore[index]
                what = f"a bet was accepted beyond the Player's {name}"
                self._fail(entry, what, f"at most {most}", reached)

    def _receive(self, id: SeatId, event: e.CreditsBought | e.TicketRedeemed, at: int) -> None:
        seat = self._seat(id)
        if event.new_session or not seat.ids:
            seat.begin(id, at)
        if event.house is not None:
            self._require(seat, event.house, at)

    @staticmethod
    def _require(seat: _Seat, house: HouseProtection, at: int) -> None:
        if seat.lines["check_minutes"].at(at) is None:
            seat.checked = at
        for name in _NAMES:
            line, limit = seat.lines[name], getattr(house.limits, name)
            line.value = _stricter(line.value, limit)
            if line.begins is not None:
                line.later = _stricter(line.later, limit)
        seat.required = house.required

    def _cash_out(self, entry: Entry, seat: _Seat, event: e.CashedOut) -> None:
        if isinstance(event, e.ConcealedCashOut) and event.session is not None:
            figures = Figures(seat.net - seat.on_layout, seat.staked + seat.on_layout)
            if event.session.figures != figures:
                self._fail(entry, "a ticket carries a wrong net result or stake", figures, event.session.figures)
            if event.session.millis != entry.facts.at - seat.began:
                self._fail(entry, "a ticket carries a wrong time", entry.facts.at - seat.began, event.session.millis)
            shared = figures if seat.on_layout else seat.elsewhere
            if event.session.shared != shared:
                self._fail(entry, "a ticket shares wrong figures with its seat", shared, event.session.shared)
            self._check_carried(entry, seat, event.protection)
        if not seat.on_layout:
            seat.elsewhere = Figures(seat.net, seat.staked)

    def _check_carried(self, entry: Entry, seat: _Seat, carried: CarriedProtection | None) -> None:
        """Check that a ticket's protection is that of the seat."""
        at = entry.facts.at
        limits = carried.limits if carried is not None else PlayLimits()
        pending = carried.pending if carried is not None else {}
        for name, line in seat.lines.items():
            waits = line.begins is not None and at < line.begins
            later = PendingLimit(line.later, Millis(line.begins or 0)) if waits else None
            if (getattr(limits, name), pending.get(name)) != (line.at(at), later):
                self._fail(entry, f"a ticket carries a wrong {name}", line, carried)
        if carried is None:
            return
        if carried.limits.check_minutes is not None and carried.since_check != at - seat.checked:
            self._fail(entry, "a ticket carries wrong reality checks", at - seat.checked, carried)
        if carried.required != seat.required:
            self._fail(entry, "a ticket carries wrong requirements of the house", seat.required, carried)
        if carried.break_until != (seat.resumes if at < seat.resumes else 0):
            self._fail(entry, "a ticket carries a wrong break", seat.resumes, carried)

    def _redeem(self, id: SeatId, event: e.TicketRedeemed, at: int) -> None:
        seat = self._seat(id)
        alone = event.new_session or not seat.ids
        self._receive(id, event, at)
        if not isinstance(event, e.ConcealedRedemption) or event.session is None:
            return
        if alone:
            seat.ids, seat.began = event.session.ids, at - event.session.millis
            seat.net = event.session.figures.net
            seat.staked = event.session.figures.staked - seat.on_layout
            seat.elsewhere = event.session.shared
        else:
            self._join(seat, event.session, at)
        if event.protection is not None:
            self._tighten(seat, event.protection, at)

    @staticmethod
    def _join(seat: _Seat, brought: CarriedSession, at: int) -> None:
        net, staked = brought.figures.net, brought.figures.staked
        nothing = Figures(0, 0)
        mine, theirs = seat.elsewhere, brought.shared
        both = tuple(dict.fromkeys((*seat.ids, *brought.ids)))
        if len(both) < len(seat.ids) + len(brought.ids):
            # Parts of one session: what both know of each other must count once.
            common = nothing
            seat.elsewhere = None
            if mine is not None and theirs is not None:
                common = seat.elsewhere = Figures(min(mine.net, theirs.net), max(mine.staked, theirs.staked))
            seat.net += net - (mine or nothing).net - (theirs or nothing).net + common.net
            seat.staked += staked - (mine or nothing).staked - (theirs or nothing).staked + common.staked
            seat.began = min(seat.began, at - brought.millis)
        else:
            seat.net += min(0, net) if len(both) > _MOST_IDS else net
            seat.staked += staked
            if mine is not None or theirs is not None:
                mine, theirs = mine or nothing, theirs or nothing
                seat.elsewhere = Figures(mine.net + theirs.net, mine.staked + theirs.staked)
            seat.began -= brought.millis
        seat.ids = both[:_MOST_IDS]

    @staticmethod
    def _tighten(seat: _Seat, brought: CarriedProtection, at: int) -> None:
        checked = [seat.checked] if seat.lines["check_minutes"].at(at) is not None else []
        if brought.limits.check_minutes is not None:
            checked.append(at - brought.since_check)
        seat.checked = min(checked, default=at)
        for name, line in seat.lines.items():
            other = _Line(getattr(brought.limits, name))
            if (one := brought.pending.get(name)) is not None:
                other.later, other.begins = one.value, one.begins
            now = _stricter(line.at(at), other.at(at))
            waits = [found.begins for found in (line, other) if found.begins is not None and at < found.begins]
            joined = _Line(now)
            if waits:
                last = max(waits)
                if _looser(then := _stricter(line.at(last), other.at(last)), now):
                    joined.later, joined.begins = then, last
            seat.lines[name] = joined
        seat.resumes = max(seat.resumes, brought.break_until)
        seat.required = tuple(dict.fromkeys((*seat.required, *brought.required)))

    def _set(self, entry: Entry, event: e.ProtectionSet) -> None:
        at, seat = entry.facts.at, self._seat(event.seat)
        if event.new_session or not seat.ids:
            seat.begin(event.seat, at)
        delay = entry.facts.protection.raise_after if entry.facts.protection is not None else _DEFAULT_DELAY
        if seat.lines["check_minutes"].at(at) is None:
            seat.checked = at
        for name, line in seat.lines.items():
            now, value, later = line.at(at), getattr(event.limits, name), event.pending.get(name)
            if _looser(value, now):
                self._fail(entry, f"a looser {name} counts at once", now, value)
            asked_before = line.begins is not None and at < line.begins
            if later is not None and later.begins < at + delay:
                known = asked_before and later.begins == line.begins and not _looser(later.value, line.later)
                if not known:
                    self._fail(entry, f"a looser {name} begins too early", at + delay, later.begins)
            seat.lines[name] = _Line(value, later.value if later else None, later.begins if later else None)
        seat.required = event.required

    def _fail(self, entry: Entry, what: str, expected: object, found: object) -> NoReturn:
        fail(what, expected=expected, found=found, table=self._table, entry=entry.seq)


def _results(event: e.AnyEvent) -> Iterator[tuple[SeatId, int, int]]:
    """Yield the seats whose round an event ends or changes: the stake that leaves the layout, and the net result."""
    match event:
        case e.RoundSettled():
            for seat, (staked, returned) in event.seats.items():
                yield seat, staked, returned - staked
        case e.RoundVoided():
            for seat, cents in event.seats.items():
                yield seat, cents, 0
        case e.StakeReturned(_, seat, cents):
            yield seat, cents, 0
        case e.RoundCorrected() | e.RoundReversed() | e.RoundReinstated():
            for change in event.seats:
                yield change.seat, 0, change.credited - change.taken
        case e.SeatDecided():
            yield event.change.seat, 0, event.change.credited - event.change.taken
        case _:
            return
