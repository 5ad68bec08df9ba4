"""What the results on record say of a wheel: fewer questions than its line answers, asked as honestly.

Results name pockets. Where several segments carry one, nobody can tell from them which segment it was.

Alerts stay until somebody acknowledges them: values, kept by whoever keeps the table's papers.

An alert that was acknowledged is raised anew only when there is something new to say.
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
from roundhouse.wheel.health.bias import FEWEST, SPEED, Finding, detectable, finding, findings, too_little, troubles
from roundhouse.wheel.health.probability import binomial_two_sided, chi_square_tail, holm
from roundhouse.wheel.health.record import Record

NO_SEGMENT = "the results do not tell which segment it was"


@dataclass(frozen=True)
class Results:
    spins: int
    voids: int
    counts: Counter[Pocket]
    findings: Sequence[Finding]
    power: str
    """What these spins could have shown, in words; empty where that is not computed."""


def results_of(rulebook: Rulebook, codes: Codes, outcomes: Iterable[Pocket | None]) -> Results:
    """``outcomes`` in the order in which they came; nothing is a void game."""
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
    # Results do not tell how fast the rotor turned.
    asked = [found for found in findings(record) if found.question != SPEED]
    return Results(spins, voids, counts, asked, str(detectable(spins, record.segments)))


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
    return finding(question, chance, f"{worst} came {counts[worst]} times, {excess:+.0%} of its share")


def _together(codes: Codes, counts: Counter[Pocket]) -> Finding:
    wheel, spins, question = codes.wheel, counts.total(), "uniformity"
    expected = {pocket: spins * wheel.segments[pocket] / len(wheel.order) for pocket in wheel.pockets}
    if min(expected.values()) < FEWEST:
        return too_little(question)
    value = sum((counts[pocket] - share) ** 2 / share for pocket, share in expected.items())
    freedom = len(expected) - 1
    return finding(
        question, chi_square_tail(value, freedom), f"chi-square {value:.1f} with {freedom} degrees of freedom"
    )


class NoSuchWheelAlert(UserError):
    """An acknowledgement of something that was never raised."""


class WheelAlert(Struct, frozen=True, omit_defaults=True):
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


def raise_alerts(book: Iterable[WheelAlert], found: Iterable[tuple[str, str]], now: datetime) -> tuple[WheelAlert, ...]:
    """The book with what was found added. Nothing is taken out because it was not found again."""
    kept = {alert.key: alert for alert in book}
    for key, words in found:
        old = kept.get(key)
        if old is None or (not old.stands and old.words != words):
            kept[key] = WheelAlert(key, words, now)
        elif old.stands:
            kept[key] = replace(old, words=words)
    return tuple(kept.values())


def acknowledge(book: Iterable[WheelAlert], key: str, by: str, now: datetime) -> tuple[WheelAlert, ...]:
    alerts = tuple(book)
    if not any(alert.key == key and alert.stands for alert in alerts):
        standing = ", ".join(alert.key for alert in alerts if alert.stands) or "none"
        raise NoSuchWheelAlert(f"there is no standing alert '{key}'; standing are {standing}")
    return tuple(replace(a, acknowledged=now, by=by) if a.key == key and a.stands else a for a in alerts)
