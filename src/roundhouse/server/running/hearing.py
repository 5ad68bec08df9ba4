"""What was heard of one wheel since the house was started: counted as it comes, told when the pit asks.

It decides nothing, and nothing that it counts reaches the table.
"""

import time

from roundhouse.floor.news import WheelReliable
from roundhouse.rules.rulebook import Rulebook
from roundhouse.server.wire.wheels import WheelFinding, WheelLine
from roundhouse.table.names import Millis
from roundhouse.wheelhead.codes import Codes
from roundhouse.wheelhead.driver import Event
from roundhouse.wheelhead.health.findings import speed_bands, troubles
from roundhouse.wheelhead.health.record import Record
from roundhouse.wheelhead.line import WARNINGS, Flag, Status, parts
from roundhouse.wheelhead.listening import Connected, Disconnected, Finished, Silent

_SHARES = (0.05, 0.5, 0.95)


class Hearing:
    def __init__(self, line: str, rulebook: Rulebook, codes: Codes) -> None:
        self._line, self._since = line, _now()
        self._record = Record(rulebook, codes)
        self._status: Status | None = None
        self._heard: Millis | None = None

    def take(self, event: Event) -> None:
        match event:
            case Status():
                self._status, self._heard = event, _now()
            case Connected() | Disconnected() | Silent() | Finished():
                pass
            case _:
                self._record.take(event)

    def told(self, reliable: WheelReliable) -> WheelLine:
        record, status = self._record, self._status
        speed = speed_bands(record)
        low, middle, high = (record.seconds_quantile(share) for share in _SHARES)
        return WheelLine(
            line=self._line,
            since=self._since,
            heard=self._heard,
            connected=reliable.connected,
            ready=reliable.ready,
            alert=reliable.alert,
            state=status.state.in_words if status is not None else "",
            rotor=status.rotor.value if status is not None else "",
            rotor_decirpm=status.rotor_decirpm if status is not None else 0,
            warnings=tuple(WARNINGS[Flag(flag)] for flag in parts(status.flags)) if status is not None else (),
            raised={WARNINGS[Flag(flag)]: count for flag, count in sorted(record.flags.items())},
            numbers=record.spins,
            voids=record.voids,
            unresolved=record.unresolved,
            launches_failed=record.launches_failed,
            lines_not_understood=record.not_understood,
            counter_jumps=record.missed,
            turned_about=record.turned_about,
            kept_direction=record.kept_direction,
            seconds=(low, middle, high) if record.spins else None,
            speed=WheelFinding(speed.question, speed.chance, speed.suspicious, speed.words),
            troubles=tuple(words for _, words in troubles(record)),
        )


def _now() -> Millis:
    return Millis(time.time_ns() // 1_000_000)
