"""Alerts stay until somebody acknowledges them: values, kept by whoever keeps the table's papers.

An alert that was acknowledged is raised anew only when there is something new to say.
"""

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from roundhouse.rules.mistakes import Mistake
from roundhouse.wheelhead.health.findings import findings, troubles
from roundhouse.wheelhead.health.record import Record


class NoSuchAlert(Mistake):
    """An acknowledgement of something that was never raised."""


class Alert(Struct, frozen=True, omit_defaults=True):
    key: str
    words: str
    raised: datetime
    acknowledged: datetime | None = None
    by: str | None = None

    @property
    def stands(self) -> bool:
        return self.acknowledged is None


def alarming(record: Record) -> list[tuple[str, str]]:
    """What about this record somebody ought to look at, each with its key."""
    odd = [
        (finding.question.replace(" ", "-"), f"{finding.question}: {finding.words}")
        for finding in findings(record)
        if finding.suspicious
    ]
    return [*odd, *troubles(record)]


def raise_alerts(book: Iterable[Alert], found: Iterable[tuple[str, str]], now: datetime) -> tuple[Alert, ...]:
    """The book with what was found added. Nothing is taken out because it was not found again."""
    kept = {alert.key: alert for alert in book}
    for key, words in found:
        old = kept.get(key)
        if old is None or (not old.stands and old.words != words):
            kept[key] = Alert(key, words, now)
        elif old.stands:
            kept[key] = replace(old, words=words)
    return tuple(kept.values())


def acknowledge(book: Iterable[Alert], key: str, by: str, now: datetime) -> tuple[Alert, ...]:
    alerts = tuple(book)
    if not any(alert.key == key and alert.stands for alert in alerts):
        standing = ", ".join(alert.key for alert in alerts if alert.stands) or "none"
        raise NoSuchAlert(f"there is no standing alert '{key}'; standing are {standing}")
    return tuple(replace(a, acknowledged=now, by=by) if a.key == key and a.stands else a for a in alerts)
