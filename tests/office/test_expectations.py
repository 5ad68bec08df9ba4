"""Theoretical win in reports: figures worked out by hand, and the figures of the lab for the same slips."""

from fractions import Fraction
from pathlib import Path

from roundhouse import rulebooks
from roundhouse.lab.slip import make_slip
from roundhouse.office.expectations import Band, Compared
from roundhouse.office.records import Records
from roundhouse.office.report import GroupBy, ReportQuery, report
from roundhouse.office.table_rounds import TableRounds
from roundhouse.rules.names import Cents
from roundhouse.rules.settlement import Bet
from roundhouse.rules.theory import Theory
from tests.support.clocked_table import TABLE, ClockedTable
from tests.support.journals import ROULETTE, TWO_PERSONS


def test_the_theory_of_a_day_is_that_of_the_rounds_that_are_not_void(day: Path) -> None:
    """Rounds 1, 2 and 5 stand, with 3,500 and 2,000 and 600 cents. Every bet has an edge of 2/38, void or not."""
    total = report(day, ReportQuery()).total
    assert (total.theory_rounds, total.theory_handle) == (3, 6_100)
    assert Fraction(total.theoretical_win) == Fraction(6_100 * 2, 38)
    # Round 2 counts by its corrected result: it returned nothing.
    assert total.theory_win == (3_500 - 22_000) + 2_000 + (600 - 1_200)


def test_the_variance_is_that_of_the_lab_for_the_same_slips(day: Path) -> None:
    game = rulebooks.find("rws-double-zero")
    records = Records(day)
    rounds = TableRounds(records, ROULETTE)
    variances = []
    for number in rounds.between(*map(type(records.head(ROULETTE).entries), (1, records.head(ROULETTE).entries))):
        record = rounds.record(number)
        if record is None or record.void:
            continue
        bets = [Bet(at, Cents(cents)) for slip in record.slips.values() for at, cents in slip.items()]
        layout = rounds.layout(next(iter(record.slips)), game)
        variances.append(make_slip(game, layout, bets).net.moments.variance)
    records.close()
    total = report(day, ReportQuery()).total
    assert len(variances) == 3
    assert Fraction(total.variance) == sum(variances)
    assert total.z is not None
    assert abs(float(total.z) - float(total.theory_win - Fraction(total.theoretical_win)) / float(total.sigma)) < 0.01


def test_seats_and_kinds_add_up_in_win_and_not_in_variance(day: Path) -> None:
    total = report(day, ReportQuery()).total
    for by in (GroupBy.SEAT, GroupBy.KIND):
        lines = report(day, ReportQuery(by)).lines
        assert sum(line.theory_win for line in lines) == total.theory_win
        assert sum(Fraction(line.theoretical_win) for line in lines) == Fraction(total.theoretical_win)
        assert sum(Fraction(line.variance) for line in lines) != Fraction(total.variance)


def test_bands_are_exact_at_their_bounds() -> None:
    """A win exactly two standard deviations away is within two, and one cent more is not."""
    theory = Theory(100, Fraction(0), Fraction(10_000))
    assert [Compared(1, win, theory).band for win in (0, 100, 101, 200, -300, -301)] == [
        *(Band.ONE_SIGMA, Band.ONE_SIGMA, Band.TWO_SIGMA, Band.TWO_SIGMA),
        *(Band.THREE_SIGMA, Band.OUTSIDE),
    ]
    assert Compared(1, -1, Theory(100, Fraction(0), Fraction(10**8))).z == "0.00", "no negative zero"
    assert (Compared().z, Compared().band) == (None, None)


def test_a_correction_moves_money_between_kinds_even_if_a_seat_has_as_much(tmp_path: Path) -> None:
    """Red and black of the same stake: 18 pays red, 17 pays black. The seat has the same amount after the change."""
    night = ClockedTable(tmp_path / "house.db", "2026-11-15T05:00:00", "UTC")
    night.round("2026-11-15T13:00:00", "18", red=1_000, black=1_000)
    night.house.do(TABLE, {"by": "pit_supervisor", "do": "correct_result", "round": 1, "outcome": "17", **TWO_PERSONS})
    night.close()
    lines = {str(line.kind): line for line in report(tmp_path, ReportQuery(GroupBy.KIND)).lines}
    assert [(lines[kind].played_win, lines[kind].adjusted, lines[kind].win) for kind in ("red", "black")] == [
        (-1_000, 2_000, 1_000),
        (1_000, -2_000, -1_000),
    ]
    assert [lines[kind].theory_win for kind in ("red", "black")] == [1_000, -1_000]
