"""Readings of open points: values of a rulebook that its document does not state, each marked as inferred."""

import pytest

from roundhouse.rules.game import Game
from roundhouse.rules.names import GENERAL_LAW, StaffPosition

RWS_ETG = ("rws-double-zero", "rws-triple-zero")
PIT = (StaffPosition.DEALER, StaffPosition.PIT_SUPERVISOR, StaffPosition.PIT_MANAGER)


def test_a_person_can_name_what_the_system_detects(games: dict[str, Game]) -> None:
    named = {
        "rws-double-zero": ["interrupted_without_outcome", "terminals_interrupted"],
        "rws-triple-zero": ["interrupted_without_outcome", "terminals_interrupted"],
        "mbs-electronic-double-zero": ["interrupted_without_outcome", "terminals_interrupted"],
        "mbs-sands": [],
        "rws-money-wheel": [],
    }
    for id, game in games.items():
        listed = game.rulebook.irregularities
        assert [i for i in listed if listed[i].declared_by == (StaffPosition.SYSTEM, *PIT)] == named[id]


@pytest.mark.clause("mbs-sands", "1.1.1", "3.3")
@pytest.mark.clause("rws-money-wheel", "1 / Colour Chips", "3.3")
def test_only_the_live_tables_are_played_with_chips(games: dict[str, Game]) -> None:
    chips = {id: game.rulebook.chips for id, game in games.items()}
    cited = {id: (rule.clause, rule.colour_clause) for id, rule in chips.items() if rule}
    assert cited == {"mbs-sands": ("3.3", "1.1.1"), "rws-money-wheel": ("3.3", "1 / Colour Chips")}
    for id, rule in chips.items():
        if rule:
            assert len(set(rule.colours)) == len(rule.colours) == 12, "one colour for each Player at a full table"
            assert "chips.colours" in {note.at for note in games[id].rulebook.inferred}


# Values that a reading fixes. Their clauses state less, so the rulebook must mark them.
READINGS = {
    "rws-double-zero": """
        wheel.order wheel.colours settlement.loses_to terminals.rapid-a.clause terminals.rapid-a.finales.digits
        terminals.rapid-a.neighbours.each_side terminals.rapid-b.neighbours.each_side
        terminals.alfastreet-b.neighbours.each_side irregularities.interrupted_with_outcome
        irregularities.foreign_object irregularities.ball_broke.until irregularities.wrong_result_registered.until
        irregularities.terminals_interrupted.declared_by authority.declares authority.decides spin.clause
        betting.closes clauses.1.2 clauses.1.10 irregularities.interrupted_without_outcome
        irregularities.terminals_interrupted
    """,
    "rws-triple-zero": """
        wheel.order wheel.colours settlement.loses_to layouts.A.bets.green terminals.rapid-a.finales.digits
        terminals.rapid-a.neighbours.each_side irregularities.interrupted_with_outcome irregularities.foreign_object
        irregularities.ball_broke.until irregularities.wrong_result_registered.until
        irregularities.terminals_interrupted.declared_by authority.declares authority.decides spin.clause
        betting.closes clauses.1.2 clauses.1.10 irregularities.interrupted_without_outcome
        irregularities.terminals_interrupted
    """,
    "mbs-sands": """
        wheel.order wheel.colours layouts.A.bets.even layouts.A.bets.street chips.colours spin.result effective
        authority.decides authority.declares irregularities.foreign_object betting.late_bet spin.clause
        betting.closes clauses.1.1.6 layouts.A.bets.line chips
    """,
    "mbs-electronic-double-zero": """
        wheel.order wheel.colours layouts.A.bets.corner layouts.A.bets.street betting.opens.phrases effective
        terminals.racetrack.series.big_series.pieces terminals.rapid-select.series.grand_series.pieces
        irregularities.interrupted_with_outcome irregularities.foreign_object irregularities.no_spin
        irregularities.terminal_interrupted_otherwise irregularities.terminals_interrupted.declared_by
        authority.declares authority.decides spin.clause clauses.1.1.5 layouts.A.bets.line terminals.racetrack
        irregularities.interrupted_without_outcome irregularities.terminals_interrupted
        irregularities.display_is_wrong
    """,
    "rws-money-wheel": """
        wheel.order chips.colours spin.result effective authority.decides authority.declares
        irregularities.clapper_on_pin spin.clause betting.closes chips
    """,
}


def test_every_reading_is_marked_as_inferred(games: dict[str, Game]) -> None:
    for id, game in games.items():
        marked = {note.at for note in game.rulebook.inferred}
        assert set(READINGS[id].split()) - marked == set(), id
        general = game.rulebook.clauses.get(GENERAL_LAW)
        assert (general is None) == (id in RWS_ETG)
        assert general is None or f"clauses.{GENERAL_LAW}" in marked


@pytest.mark.clause("mbs-sands", "general law")
@pytest.mark.clause("rws-money-wheel", "general law")
def test_an_interrupted_round_of_a_live_table_is_suspended_and_referred(games: dict[str, Game]) -> None:
    for id in ("mbs-sands", "rws-money-wheel"):
        assert "suspended and referred" in games[id].rulebook.clauses[GENERAL_LAW]
        assert not [i for i in games[id].rulebook.irregularities if i.startswith("interrupted")]
