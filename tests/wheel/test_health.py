"""Wheel health: fair wheels raise no suspicion, planted faults are found, and the stated power is correct."""

from datetime import UTC, datetime
from math import comb, isclose
from random import Random

import pytest

from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Pocket, Segment
from roundhouse.wheel.codes import codes_for
from roundhouse.wheel.facts import Ending, GameEnded
from roundhouse.wheel.health.bias import LEVEL, POWER, detectable, findings, power_against, spins_needed
from roundhouse.wheel.health.probability import (
    binomial_lower,
    binomial_two_sided,
    binomial_upper,
    chi_square_tail,
    holm,
    rayleigh_tail,
)
from roundhouse.wheel.health.record import Record
from roundhouse.wheel.health.report import (
    NO_SEGMENT,
    NoSuchWheelAlert,
    Results,
    acknowledge,
    alert_reasons,
    raise_alerts,
    results_of,
)
from roundhouse.wheel.protocol import Flag, GameNumber
from roundhouse.wheel.stream import facts
from tests.support.recordings import find, simulated

NOW = datetime(2026, 3, 1, 20, 15, tzinfo=UTC)


def empty(game: str = "rws-double-zero") -> Record:
    found = find(game)
    return Record(found.rulebook, codes_for(found.wheel))


def spun(segments: list[int], speeds: list[int] | None = None, turning: bool = True) -> Record:
    """Build the record that the follower would make of these outcomes."""
    record = empty()
    for i, segment in enumerate(segments):
        rotor = Direction.CLOCKWISE if i % 2 and turning else Direction.ANTICLOCKWISE
        code = record.codes.code_of[Segment(segment)]
        none = Flag.NONE
        speed = speeds[i] if speeds else 150
        game = GameNumber(f"{i % 1000:03d}")
        record.take(GameEnded(game, Ending.NUMBER, code, "", True, True, none, none, none, rotor, speed, 60, None))
    return record


def suspected(record: Record) -> set[str]:
    return {finding.question for finding in findings(record) if finding.suspicious}


def test_tail_probabilities_match_exact_sums() -> None:
    for trials, chance in ((20, 0.3), (57, 1 / 38), (9, 0.5)):
        weights = [comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(trials + 1)]
        for count in range(trials + 1):
            assert isclose(binomial_upper(count, trials, chance), sum(weights[count:]), rel_tol=1e-9)
            assert isclose(binomial_lower(count, trials, chance), sum(weights[: count + 1]), rel_tol=1e-9)
    assert binomial_two_sided(10, 20, 0.5) == 1.0
    # Quantiles from printed tables.
    for freedom, five_percent in ((1, 3.841459), (2, 5.991465), (10, 18.307038), (37, 52.192320), (51, 68.669294)):
        assert isclose(chi_square_tail(five_percent, freedom), 0.05, rel_tol=1e-5)
    assert chi_square_tail(5000, 37) == pytest.approx(0, abs=1e-100)
    assert holm([]) == []
    assert rayleigh_tail(0.0, 100) == 1.0


def test_a_fair_wheel_is_rarely_suspected() -> None:
    suspicions = 0
    for seed in range(60):
        random = Random(seed)
        spins = [random.randrange(38) for _ in range(2000)]
        suspicions += bool(suspected(spun(spins, [140 + random.randrange(40) for _ in spins])))
    # Five tests at a level of 1 % give at most three expected suspicions in sixty records.
    assert suspicions <= 7


def biased(random: Random, spins: int, excess: float) -> list[int]:
    """Draw spins in which pocket 5 is too frequent and the others are equally likely."""
    chance = (1 + excess) / 38
    others = [i for i in range(38) if i != 5]
    return [5 if random.random() < chance else others[random.randrange(37)] for _ in range(spins)]


def test_a_planted_bias_of_ten_percent_is_found_with_the_stated_power() -> None:
    spins = spins_needed(0.10, 38)
    assert power_against(0.10, spins, 38) >= POWER
    assert power_against(0.10, spins // 2, 38) < POWER
    found, trials = 0, 40
    for seed in range(trials):
        random = Random(seed)
        count = round(random.gauss(0, 1) * (spins * 1.1 / 38 * (1 - 1.1 / 38)) ** 0.5 + spins * 1.1 / 38)
        rest = spins - count
        record = empty()
        record.counts.update({Segment(i): rest // 37 for i in range(38) if i != 5})
        record.counts[Segment(5)] = count
        found += next(f.suspicious for f in findings(record) if f.question == "single pockets")
    assert found >= 0.75 * trials


def test_a_planted_bias_is_found_spin_by_spin() -> None:
    spins = spins_needed(0.10, 38)
    record = spun(biased(Random(1), spins, 0.10))
    (pockets,) = (finding for finding in findings(record) if finding.question == "single pockets")
    assert pockets.suspicious
    assert pockets.words.startswith(record.codes.wheel.order[5] + " occurred ")


def test_the_power_statement_matches_the_test_that_is_used() -> None:
    power = detectable(3400, 38)
    assert power.excess is not None
    assert power_against(power.excess, 3400, 38) >= POWER
    assert power_against(power.excess - 0.01, 3400, 38) < POWER
    # A pocket at the critical count is suspected, and one below it is not.
    from roundhouse.wheel.health.bias import critical_count

    for less, suspicious in ((0, True), (1, False)):
        record = empty()
        count = critical_count(3800, 38) - less
        record.counts.update({Segment(i): (3800 - count) // 37 for i in range(1, 38)})
        record.counts[Segment(0)] = count
        record.counts[Segment(1)] += 3800 - record.spins
        assert ("single pockets" in suspected(record)) is suspicious
    assert detectable(1, 38).excess is None
    assert "no excess" in str(detectable(0, 38))
    assert LEVEL == 0.01


def test_planted_faults_are_found() -> None:
    random = Random(3)
    tilted = [random.randrange(38) if random.random() < 0.85 else random.randrange(8) for _ in range(3000)]
    assert "sectors" in suspected(spun(tilted))
    assert "uniformity" in suspected(spun(tilted))
    walk = [0]
    for _ in range(3000):
        walk.append((walk[-1] + (random.randrange(38) if random.random() < 0.9 else 7)) % 38)
    assert suspected(spun(walk)) == {"serial dependence"}
    speeds = [140 + random.randrange(60) for _ in range(3000)]
    by_speed = [random.randrange(38) if speed < 180 else random.randrange(19) for speed in speeds]
    assert "speed bands" in suspected(spun(by_speed, speeds))


def test_a_recording_gives_a_complete_record() -> None:
    lines, played, codes = simulated(300, seed=2, rate=0.2)
    record = Record(find("rws-double-zero").rulebook, codes)
    for fact in facts([b"".join(line + b"\r\n" for line in lines)], codes):
        record.take(fact)
    assert record.spins == sum(one.established is not None for one in played)
    assert record.spins + record.voids + record.unresolved >= 300
    assert record.launches_failed > 0
    assert record.turned_about > 0
    assert 10 < record.seconds_quantile(0.5) < 60
    assert record.seconds_quantile(0.05) <= record.seconds_quantile(0.95)


def test_a_rotor_that_sometimes_keeps_its_direction_raises_an_alert() -> None:
    record = spun(list(range(38)) * 3)
    assert "direction" not in dict(alert_reasons(record))
    record.kept_direction = 2
    assert "direction" in dict(alert_reasons(record))
    assert "direction" not in dict(alert_reasons(spun(list(range(38)), turning=False)))


def test_alerts_stay_active_until_they_are_acknowledged() -> None:
    book = raise_alerts((), [("flag-4", "warning 4 was raised 1 times")], NOW)
    assert [alert.active for alert in book] == [True]
    assert raise_alerts(book, [], NOW) == book
    book = acknowledge(book, "flag-4", "Pit Supervisor Lim", NOW)
    assert (book[0].active, book[0].by) == (False, "Pit Supervisor Lim")
    assert raise_alerts(book, [("flag-4", "warning 4 was raised 1 times")], NOW) == book
    worse = raise_alerts(book, [("flag-4", "warning 4 was raised 2 times")], NOW)
    assert worse[0].active
    with pytest.raises(NoSuchWheelAlert):
        acknowledge(book, "flag-4", "Lim", NOW)


def test_too_few_spins_give_no_finding() -> None:
    assert suspected(spun([5])) == set()
    assert {finding.chance for finding in findings(empty())} == {None}


def results_for(game: str, outcomes: list[str | None]) -> Results:
    found = find(game)
    named = [Pocket(outcome) if outcome is not None else None for outcome in outcomes]
    return results_of(found.rulebook, codes_for(found.wheel), named)


def test_recorded_results_give_the_same_findings_as_the_wheels_messages() -> None:
    random = Random(7)
    segments = [random.randrange(38) for _ in range(1000)]
    order = find("rws-double-zero").wheel.order
    record, results = spun(segments), results_for("rws-double-zero", [order[segment] for segment in segments])
    assert list(results.findings) == [one for one in findings(record) if one.question != "speed bands"]
    assert (results.spins, results.voids, sum(results.counts.values())) == (1000, 0, 1000)
    assert "with 1,000 spins" in results.power


def test_results_separated_by_a_void_game_are_not_consecutive() -> None:
    order = find("rws-double-zero").wheel.order
    outcomes: list[str | None] = [pocket for i in range(200) for pocket in (order[i % 38], None)]
    results = results_for("rws-double-zero", outcomes)
    assert (results.spins, results.voids) == (200, 200)
    (serial,) = [one for one in results.findings if one.question == "serial dependence"]
    assert serial.chance is None, "there are no consecutive results"
    steady = results_for("rws-double-zero", [outcome for outcome in outcomes if outcome])
    assert {one.question for one in steady.findings if one.suspicious} == {"serial dependence"}


def test_a_symbol_is_expected_in_proportion_to_its_segments() -> None:
    wheel = find("rws-money-wheel").wheel
    fair = [str(pocket) for pocket in wheel.order] * 40
    questions = {one.question: one for one in results_for("rws-money-wheel", [*fair]).findings}
    assert [question for question, one in questions.items() if one.suspicious] == []
    assert questions["uniformity"].chance == pytest.approx(1.0)
    assert questions["sectors"].words == questions["serial dependence"].words == NO_SEGMENT
    rarest = min(wheel.pockets, key=lambda pocket: wheel.segments[pocket])
    odd = {one.question: one for one in results_for("rws-money-wheel", [*fair, *[rarest] * 40]).findings}
    assert (odd["single pockets"].suspicious, odd["uniformity"].suspicious) == (True, True)
    assert rarest in odd["single pockets"].words
    few = results_for("rws-money-wheel", [rarest])
    assert [one.chance is None for one in few.findings] == [False, True, True, True]
    assert results_for("rws-money-wheel", []).findings[0].chance is None
