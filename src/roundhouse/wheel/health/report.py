"""Health report from recorded outcomes, and the alerts of a wheel.

Outcomes are pockets. If several segments have the same pocket, tests that need the segment are omitted. An alert stays
active until a person acknowledges it. It is raised again only with a different message. The caller stores the alerts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from roundhouse.rules.errors import UserError
from roundhouse.rules.names import Pocket, Segment
from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheel.codes import Codes
from roundhouse.wheel.health.bias import (
    MIN_EXPECTED,
    SPEED,
    Finding,
    detectable,
    finding,
    findings,
    too_little,
    troubles,
)
from roundhouse.wheel.health.probability import binomial_two_sided, chi_square_tail, holm
from roundhouse.wheel.health.record import Record

NO_SEGMENT = "not tested: the outcomes do not identify the segment"


@dataclass(frozen=True)
class Results:
    """Health report from outcomes."""

    spins: int
    voids: int
    counts: Counter[Pocket]
    findings: Sequence[Finding]
    power: str
    """Message about the smallest detectable excess; empty if several segments have the same pocket."""


def results_of(rulebook: Rulebook, codes: Codes, outcomes: Iterable[Pocket | None]) -> Results:
    """Test outcomes, given in order. None is a void game."""
    known = list(outcomes)
    wheel = codes.wheel
    counts = Counter(outcome for outcome in known if outcome is not None)
    spins, voids = counts.total(), known.count(None)
    if len(wheel.pockets) < len(wheel.order):
        return Results(spins, voids, counts, _by_share(codes, counts), "")
    record = Record(rulebook, codes)
    place = {pocket: Segment(i) for i, pocket in enumerate(wheel.order)}
    for outcome in known:
        record.result(place[outcome] if outcome is not None else None)
    # Leave out the test of speed bands, because outcomes contain no rotor speed.
    tested = [found for found in findings(record) if found.question != SPEED]
    return Results(spins, voids, counts, tested, str(detectable(spins, record.segments)))


def _by_share(codes: Codes, counts: Counter[Pocket]) -> list[Finding]:
    unknown = [Finding(question, None, False, NO_SEGMENT) for question in ("sectors", "serial dependence")]
    return [_single(codes, counts), _together(codes, counts), *unknown]


def _single(codes: Codes, counts: Counter[Pocket]) -> Finding:
    wheel, spins, question = codes.wheel, counts.total(), "single pockets"
    if not spins:
        return too_little(question)
    shares = {pocket: wheel.segments[pocket] / len(wheel.order) for pocket in wheel.pockets}
    adjusted = holm([binomial_two_sided(counts[pocket], spins, share) for pocket, share in shares.items()])
    chance, worst = min(zip(adjusted, shares), key=lambda found: found[0])
    excess = counts[worst] / (spins * shares[worst]) - 1
    expected = f"expected {spins * shares[worst]:.1f} ({excess:+.0%})"
    return finding(question, chance, f"{worst} occurred {counts[worst]} times, {expected}")


def _together(codes: Codes, counts: Counter[Pocket]) -> Finding:
    wheel, spins, question = codes.wheel, counts.total(), "uniformity"
    expected = {pocket: spins * wheel.segments[pocket] / len(wheel.order) for pocket in wheel.pockets}
    if min(expected.values()) < MIN_EXPECTED:
        return too_little(question)
    value = sum((counts[pocket] - share) ** 2 / share for pocket, share in expected.items())
    freedom = len(expected) - 1
    return finding(
        question, chi_square_tail(value, freedom), f"chi-square {value:.1f} with {freedom} degrees of freedom"
    )


class NoSuchWheelAlert(UserError):
    """An acknowledgement of an alert that is not active."""


class WheelAlert(Struct, frozen=True, omit_defaults=True):
    """An alert about a wheel, active until a person acknowledges it."""

    key: str
    words: str
    """Message of the alert, for people."""
    raised: datetime
    acknowledged: datetime | None = None
    by: str | None = None

    @property
    def active(self) -> bool:
        return self.acknowledged is None


def alert_reasons(record: Record) -> list[tuple[str, str]]:
    """List a key and a message for each suspicious finding and each problem."""
    suspicious = [
        (finding.question.replace(" ", "-"), f"{finding.question}: {finding.words}")
        for finding in findings(record)
        if finding.suspicious
    ]
    return [*suspicious, *troubles(record)]


def raise_alerts(book: Iterable[WheelAlert], found: Iterable[tuple[str, str]], now: datetime) -> tuple[WheelAlert, ...]:
    """Add findings to the stored alerts. Alerts whose finding did not recur remain."""
    alerts = {alert.key: alert for alert in book}
    for key, text in found:
        old = alerts.get(key)
        if old is None or (not old.active and old.words != text):
            alerts[key] = WheelAlert(key, text, now)
        elif old.active:
            alerts[key] = replace(old, words=text)
    return tuple(alerts.values())


def acknowledge(book: Iterable[WheelAlert], key: str, by: str, now: datetime) -> tuple[WheelAlert, ...]:
    alerts = tuple(book)
    if not any(alert.key == key and alert.active for alert in alerts):
        active = ", ".join(alert.key for alert in alerts if alert.active) or "none"
        raise NoSuchWheelAlert(f"no active alert '{key}'; active alerts: {active}")
    return tuple(replace(a, acknowledged=now, by=by) if a.key == key and a.active else a for a in alerts)
