"""The bulletin of a running table: each piece of news told when it changes, and not again while it stays the same."""

from collections.abc import Callable, Sequence

from roundhouse.floor.news import Awaiting, Closing, Happened, News, WheelReliable, WheelStands
from roundhouse.floor.sight import Prepared, Sight
from roundhouse.floor.steps import Wait
from roundhouse.journal.entry import Answer
from roundhouse.table.names import RoundNumber
from roundhouse.wheelhead.driver import Event
from roundhouse.wheelhead.line import Status, parts


class Bulletin:
    def __init__(self, publish: Callable[[News], None]) -> None:
        self._publish = publish
        self._status: Status | None = None
        self._reliable: WheelReliable | None = None
        self._why = ""
        self._closing: object = None

    def happened(self, answers: Sequence[Answer], version: int, by_dealer: bool) -> None:
        if events := [event for answer in answers for event in answer.events or []]:
            self._publish(Happened(version, events, by_dealer))

    def waiting(self, wait: Wait, round: RoundNumber, now: float, speed: float) -> None:
        """How the dealer waits. Seconds are told as the listener's clock counts them."""
        if wait.why != self._why:
            self._why = wait.why
            self._publish(Awaiting(wait.why))
        closing = (round, wait.closes, wait.countdown)
        if wait.closes is not None and closing != self._closing:
            self._publish(Closing(round, (wait.closes - now) / speed, wait.countdown))
        self._closing = closing

    def wheel(self, event: Event) -> None:
        if not isinstance(event, Status):
            return
        last, self._status = self._status, event
        if last is None or _but_for_speed(last) != _but_for_speed(event):
            flags = parts(event.flags)
            self._publish(WheelStands(event.state, event.game, event.shown, flags, event.rotor, event.rotor_decirpm))

    def reliable(self, sight: Sight) -> None:
        alert = sight.failed or sight.gone
        found = WheelReliable(sight.connected, sight.prepared is Prepared.YES and not alert, alert)
        if found != self._reliable:
            self._reliable = found
            self._publish(found)


def _but_for_speed(status: Status) -> object:
    return status.state, status.game, status.shown, status.flags, status.rotor
