"""Data of the five rulebooks: identity, wheels, phrases, betting moments, irregularities and authority."""

import itertools
from datetime import datetime

import pytest

from roundhouse.rules.authority import may_act_as, may_decide, may_declare
from roundhouse.rules.game import Game
from roundhouse.rules.names import IrregularityId, LayoutId, StaffPosition
from roundhouse.rules.rulebook import AnnouncedBy, Effect, LateEffect, Moment, Until
from tests.documents import Document
from tests.documents.shelf import DOCUMENTS
from tests.support.clauses import each_document

RWS_ETG = ("rws-double-zero", "rws-triple-zero")
PIT = (StaffPosition.DEALER, StaffPosition.PIT_SUPERVISOR, StaffPosition.PIT_MANAGER)
SHIFT = StaffPosition.SHIFT_MANAGER

IDENTITY = """
rws-double-zero             4  2020-08-05T08:00:00+08:00
rws-triple-zero             1  2023-04-06T08:00:00+08:00
mbs-sands                   1  2017-09-28T00:00:00+08:00
mbs-electronic-double-zero  2  2020-03-18T00:00:00+08:00
rws-money-wheel             1  2010-02-08T00:00:00+08:00
"""


def test_each_rulebook_has_its_version_and_effective_date(games: dict[str, Game]) -> None:
    expected = [line.split() for line in IDENTITY.split("\n") if line]
    found = [[game.id, game.rulebook.version, game.rulebook.effective.isoformat()] for game in games.values()]
    assert found == expected
    assert all(isinstance(game.rulebook.effective, datetime) and len(game.hash) == 64 for game in games.values())


@each_document()
def test_each_wheel_has_the_documented_order(games: dict[str, Game], document: Document) -> None:
    wheel = games[document.game].wheel
    assert list(wheel.order) == document.rim.split()
    if document.zeros:
        assert list(wheel.pockets) == [*document.zeros.split(), *map(str, range(1, 37))]
        assert len(set(wheel.order)) == len(wheel.order)
        # Red and black alternate on the rim, ignoring the green pockets.
        numbers = [wheel.colours[pocket] for pocket in wheel.order if wheel.colours[pocket] != "green"]
        assert all(a != b for a, b in itertools.pairwise(numbers))


@pytest.mark.clause("mbs-sands", "1.1.3")
def test_the_sands_wheel_has_its_39_pockets(games: dict[str, Game]) -> None:
    assert set(games["mbs-sands"].wheel.pockets) == {"0", "00", "S", *map(str, range(1, 37))}


@pytest.mark.clause(
    "rws-money-wheel",
    "2.2",
    "2.2.1",
    *(f"2.2.1 / {name}" for name in ("Resorts World Sentosa", "Crockfords", "SGD 20", "SGD 10", "SGD 5", "SGD 3")),
    "2.2.1 / SGD 1",
    "2.2.1 / Total",
)
def test_the_money_wheel_has_52_documented_segments(games: dict[str, Game]) -> None:
    segments = games["rws-money-wheel"].wheel.segments
    assert dict(segments) == {"RWS": 1, "CROCKFORDS": 1, "20": 2, "10": 4, "5": 8, "3": 12, "1": 24}
    assert sum(segments.values()) == 52


@pytest.mark.clause("rws-double-zero", "2.1.1")
@pytest.mark.clause("rws-triple-zero", "2.1.1")
@pytest.mark.clause("mbs-sands", "2.1")
@pytest.mark.clause("mbs-electronic-double-zero", "2.1")
@pytest.mark.clause("rws-money-wheel", "2.1", "2.1.1", "Appendix A")
def test_cells_fill_the_layout_without_overlap(games: dict[str, Game]) -> None:
    """Every number and box has one rectangle. Two rectangles share at most a border."""
    for game in games.values():
        for layout in game.layouts.values():
            rects = [*layout.cells.values(), *layout.boxes.values()]
            for i, a in enumerate(rects):
                for b in rects[i + 1 :]:
                    assert a.x1 <= b.x0 or b.x1 <= a.x0 or a.y1 <= b.y0 or b.y1 <= a.y0
            places = {position.at for position in layout.positions}
            assert len(places) == len(layout.positions), "two positions have the same coordinates"
            if layout.cells:
                assert set(layout.cells) == set(game.wheel.pockets)
            else:
                assert {f"symbol:{pocket}" for pocket in game.wheel.pockets} == set(layout.boxes)


def test_chips_are_placed_where_the_documents_say(games: dict[str, Game]) -> None:
    """Streets, Lines, the Top Line and the first four are on the outer line."""
    for game in games.values():
        for layout in game.layouts.values():
            if not layout.cells:
                continue
            outer = max(cell.y1 for cell in layout.cells.values())
            on_outer_line = {position.id for position in layout.positions if position.at.y == outer}
            rows = {f"street:{n}-{n + 1}-{n + 2}" for n in range(1, 35, 3)}
            lines = {position.id for position in layout.positions if position.type == "line"}
            first = {"top_line"} if "top_line" in layout.by_id else {"corner:0-1-2-3"}
            assert on_outer_line == rows | lines | first


# game · announcer · opening phrases · clause · closing phrases · clause · closing moment · clause
ANNOUNCEMENTS = [
    ("rws-double-zero", "terminal", None, "3.2", ("No More Bets",), "3.5", "operators_choice", "3.5"),
    ("rws-triple-zero", "terminal", None, "3.2", ("No More Bets",), "3.5", "operators_choice", "3.5"),
    ("mbs-sands", "dealer", ("Place your bets, please",), "3.1", ("No more bets",), "3.2", "while_spinning", "3.6"),
    (
        "mbs-electronic-double-zero",
        "terminal",
        ("Place your bets", "Place your bets, please", "Bets are open"),
        "3.1",
        ("No more bets", "Bets are closed"),
        "3.2",
        "before_spin",
        "3.7",
    ),
    (
        "rws-money-wheel",
        "dealer",
        ("Place your bets, please",),
        "3.1",
        ("No more bets",),
        "3.2",
        "operators_choice",
        "3.2",
    ),
]


@pytest.mark.parametrize(
    ("id", "by", "opens", "opening", "closes", "closing", "moment", "moment_clause"),
    [pytest.param(*row, marks=pytest.mark.clause(row[0], row[3], row[5], row[7]), id=row[0]) for row in ANNOUNCEMENTS],
)
def test_phrases_and_moment_of_opening_and_closing_match_the_documents(
    games: dict[str, Game],
    id: str,
    by: str,
    opens: tuple[str, ...] | None,
    opening: str,
    closes: tuple[str, ...],
    closing: str,
    moment: str,
    moment_clause: str,
) -> None:
    betting = games[id].rulebook.betting
    inferred = {note.at for note in games[id].rulebook.inferred}
    assert betting.announced_by is AnnouncedBy(by)
    if opens is None:  # the rules give no phrase, so the rulebook marks its own as inferred
        assert "betting.opens.phrases" in inferred
    else:
        assert betting.opens.phrases == opens
    assert betting.opens.clause == opening
    assert (betting.closes.phrases, betting.closes.clause) == (closes, closing)
    assert (betting.closes.moment, betting.closes.moment_clause) == (Moment(moment), moment_clause)
    assert ("betting.closes.moment" in inferred) == (moment == "operators_choice")


LATE = [
    ("rws-double-zero", "3.5", "5.7", "stake_stands"),
    ("rws-triple-zero", "3.5", "5.7", "stake_stands"),
    ("mbs-sands", "5.11", "5.12", "stake_stands"),
    ("mbs-electronic-double-zero", "5.12", "5.11", "stake_stands"),
    ("rws-money-wheel", "5.2", "5.2", "refused"),
]


@pytest.mark.parametrize(
    ("id", "bet", "withdrawal", "effect"),
    [pytest.param(*row, marks=pytest.mark.clause(row[0], row[1], row[2]), id=row[0]) for row in LATE],
)
def test_late_bets_and_withdrawals_have_the_documented_effect(
    games: dict[str, Game], id: str, bet: str, withdrawal: str, effect: str
) -> None:
    betting = games[id].rulebook.betting
    assert (betting.late_bet.clause, betting.late_bet.effect) == (bet, LateEffect.REFUSED)
    assert (betting.late_withdrawal.clause, betting.late_withdrawal.effect) == (withdrawal, LateEffect(effect))


VOID_RETURNS = {
    "rws-double-zero": "5.9",
    "rws-triple-zero": "5.9",
    "mbs-sands": "general law",
    "mbs-electronic-double-zero": "general law",
    "rws-money-wheel": "general law",
}


@pytest.mark.parametrize(
    ("id", "clause"),
    [pytest.param(id, clause, marks=pytest.mark.clause(id, clause), id=id) for id, clause in VOID_RETURNS.items()],
)
def test_a_void_round_returns_stakes_under_the_documented_clause(games: dict[str, Game], id: str, clause: str) -> None:
    assert games[id].rulebook.settlement.void_returns == clause


@pytest.mark.clause("rws-double-zero", "3.6")
@pytest.mark.clause("rws-triple-zero", "3.6")
@pytest.mark.clause("mbs-sands", "3.5")
@pytest.mark.clause("mbs-electronic-double-zero", "3.6")
@pytest.mark.clause("rws-money-wheel", "3.4")
def test_a_valid_spin_has_the_documented_number_of_revolutions(games: dict[str, Game]) -> None:
    found = {
        id: (game.rulebook.spin.least_revolutions, game.rulebook.spin.against_the_wheel) for id, game in games.items()
    }
    assert found == {
        **dict.fromkeys((document.game for document in DOCUMENTS if document.zeros), (4, True)),
        "rws-money-wheel": (3, False),
    }


OTHER = [
    ("5.1.1", "interrupted_with_outcome", Effect.CONCLUDE_ROUND),
    ("5.1.2", "interrupted_without_outcome", Effect.VOID_ROUND),
    ("5.2", "terminals_interrupted", Effect.CONTINUE_ROUND),
    ("5.2.1", "terminal_interrupted_bets_registered", Effect.SETTLE_REGISTERED_BETS),
    ("5.2.2", "terminal_interrupted_bets_unregistered", Effect.RETURN_UNREGISTERED_BETS),
    ("5.4", "ball_broke", Effect.VOID_AFFECTED_ROUNDS),
    ("5.5", "wrong_result_registered", Effect.SETTLE_BY_WHEEL),
    ("5.6", "error_noticed_in_later_round", Effect.LATER_ROUNDS_STAND),
    ("5.8", "display_is_wrong", Effect.WHEEL_PREVAILS),
]
MBS_OTHER = [
    ("5.7", "ball_broke", Effect.VOID_ROUND),
    ("5.13.1", "interrupted_without_outcome", Effect.VOID_ROUND),
    ("5.13.2", "interrupted_with_outcome", Effect.CONCLUDE_ROUND),
    ("5.14", "terminals_interrupted", Effect.CONTINUE_ROUND),
    ("5.14.1", "terminal_interrupted_bets_registered", Effect.SETTLE_REGISTERED_BETS),
    ("5.14.2", "terminal_interrupted_bets_unregistered", Effect.NOT_PARTICIPATED),
    ("6.1", "terminal_interrupted_otherwise", Effect.REFER),
    ("5.15", "no_spin", Effect.VOID_ROUND),
    ("6.3", "display_is_wrong", Effect.WHEEL_PREVAILS),
]


@pytest.mark.parametrize(
    ("id", "clause", "irregularity", "effect"),
    [
        pytest.param(id, *row, marks=pytest.mark.clause(id, row[0]), id=f"{id} {row[1]}")
        for id, rows in (*((id, OTHER) for id in RWS_ETG), ("mbs-electronic-double-zero", MBS_OTHER))
        for row in rows
    ],
)
def test_irregularities_outside_the_spin_have_the_documented_effect(
    games: dict[str, Game], id: str, clause: str, irregularity: str, effect: Effect
) -> None:
    listed = games[id].rulebook.irregularities[IrregularityId(irregularity)]
    assert (listed.clause, listed.effect) == (clause, effect)


@each_document()
def test_every_irregularity_of_the_spin_voids_its_round(games: dict[str, Game], document: Document) -> None:
    listed = games[document.game].rulebook.irregularities
    assert {id: listed[IrregularityId(id)].clause for id in document.irregularities} == document.irregularities
    for id in document.irregularities:
        broken_ball_at_rws = id == "ball_broke" and document.game in RWS_ETG
        expected = Effect.VOID_AFFECTED_ROUNDS if broken_ball_at_rws else Effect.VOID_ROUND
        assert listed[IrregularityId(id)].effect is expected
        until = Until.ANY_TIME if broken_ball_at_rws else Until.SETTLEMENT
        assert listed[IrregularityId(id)].until is until, "a clause on the spin limits when it happens, not the report"


@pytest.mark.clause("rws-double-zero", "1.2", "1.5", "5.10")
@pytest.mark.clause("rws-triple-zero", "1.2", "1.5", "5.10")
@pytest.mark.clause("mbs-electronic-double-zero", "6.1", "6.2")
@pytest.mark.clause("mbs-sands", "general law")
@pytest.mark.clause("rws-money-wheel", "general law")
def test_positions_that_act_and_decide_match_the_documents(games: dict[str, Game]) -> None:
    for id, game in games.items():
        authority = game.rulebook.authority
        assert may_act_as(authority, StaffPosition.DEALER, StaffPosition.DEALER)
        assert not may_act_as(authority, StaffPosition.DEALER, StaffPosition.PIT_MANAGER)
        # Only clause 6.2 of the MBS electronic rules lets a higher position act for a lower one.
        by_rank = id == "mbs-electronic-double-zero"
        assert may_act_as(authority, StaffPosition.PIT_MANAGER, StaffPosition.DEALER) == by_rank
        assert may_act_as(authority, SHIFT, StaffPosition.PIT_SUPERVISOR) == by_rank
        assert not may_act_as(authority, StaffPosition.CASHIER, StaffPosition.DEALER)
        # RWS roulette says "or above" (5.10) and MBS electronic has 6.2. The other two name no higher position.
        above = [StaffPosition.CASINO_MANAGER] if id in (*RWS_ETG, "mbs-electronic-double-zero") else []
        assert [position for position in StaffPosition if may_decide(authority, position)] == [SHIFT, *above]
    interprets = {id: game.rulebook.authority.decides.interpretation for id, game in games.items()}
    assert {id for id, allowed in interprets.items() if allowed} == set(RWS_ETG)
    acting = {id: game.rulebook.authority.acting for id, game in games.items()}
    assert acting == {
        "rws-double-zero": "1.5",
        "rws-triple-zero": "1.5",
        "mbs-sands": None,
        "mbs-electronic-double-zero": "6.2",
        "rws-money-wheel": None,
    }
    for id, game in games.items():
        titles = game.rulebook.authority.titles
        assert [titles[position] for position in PIT] == ["Dealer", "Pit Supervisor", "Pit Manager"]
        assert titles[SHIFT] == ("Gaming Shift Manager" if id.startswith("mbs") else "Table Games Shift Manager")


@pytest.mark.clause("mbs-electronic-double-zero", "5.15")
def test_positions_that_declare_match_the_documents(games: dict[str, Game]) -> None:
    mbs = games["mbs-electronic-double-zero"].rulebook
    no_spin = mbs.irregularities[IrregularityId("no_spin")]
    assert no_spin.declared_by == PIT
    # A higher position may also call "no spin" (6.2), but a player may not.
    higher = [SHIFT, StaffPosition.CASINO_MANAGER]
    assert [p for p in StaffPosition if may_declare(mbs.authority, no_spin, p)] == [*PIT, *higher]
    rws = games["rws-double-zero"].rulebook
    assert [
        p for p in StaffPosition if may_declare(rws.authority, rws.irregularities[IrregularityId("interference")], p)
    ] == [*PIT]
    cut = rws.irregularities[IrregularityId("interrupted_without_outcome")]
    assert {p for p in StaffPosition if may_declare(rws.authority, cut, p)} == {StaffPosition.SYSTEM, *PIT}


def test_positions_that_correct_a_result_match_the_documents(games: dict[str, Game]) -> None:
    for id in RWS_ETG:
        listed = games[id].rulebook.irregularities[IrregularityId("wrong_result_registered")]
        assert listed.declared_by == (StaffPosition.PIT_SUPERVISOR, StaffPosition.PIT_MANAGER, SHIFT)


LABELS = {
    **{f"column:{n}": "2 to 1" for n in (1, 2, 3)},
    **{"dozen:1": "1st 12", "dozen:2": "2nd 12", "dozen:3": "3rd 12", "low": "1-18", "high": "19-36"},
    **{"odd": "ODD", "even": "EVEN", "red": "RED", "black": "BLACK", "green": "GREEN"},
    **{"symbol:RWS": "Resorts World Sentosa", "symbol:CROCKFORDS": "Crockfords"},
    **{f"symbol:{n}": f"SGD {n}" for n in (20, 10, 5, 3, 1)},
}


def test_boxes_have_the_documented_labels(games: dict[str, Game]) -> None:
    for game in games.values():
        for layout in game.layouts.values():
            assert layout.labels == {id: LABELS[id] for id in layout.boxes}


NAMES = """
rws-double-zero rapid-a: Tiers, Orphelins, 0-Spiel, Grand Series
rws-double-zero rapid-b:
rws-double-zero alfastreet-b: Small Series, Orphans, Zero Spiel, Big Series
rws-triple-zero rapid-a: Tiers, Orphelins, 0-Spiel, Grand Series
mbs-sands table:
mbs-electronic-double-zero racetrack: Big Series, Small Series, Orphans, Zero Spiel
mbs-electronic-double-zero rapid-select: Zero Spiel, Grand Series, Orphelins, Tiers
rws-money-wheel table:
"""


def test_packages_have_the_documented_names(games: dict[str, Game]) -> None:
    found = [
        f"{id} {terminal.plan.id}: {', '.join(series.name for series in terminal.plan.series)}".strip()
        for id, game in games.items()
        for terminal in game.terminals.values()
    ]
    assert found == NAMES.strip().splitlines()


def test_positions_are_listed_type_by_type_in_canonical_order(games: dict[str, Game]) -> None:
    for game in games.values():
        for layout in game.layouts.values():
            types = [position.type for position in layout.positions]
            assert types == sorted(types, key=types.index), "positions are grouped by type"
            for kind in dict.fromkeys(types):
                ranks = [[game.wheel.pockets.index(p) for p in q.covers] for q in layout.positions if q.type == kind]
                assert ranks == sorted(ranks)


RECONSTRUCTED = {
    "rws-double-zero": {"wheel.order", "terminals.rapid-a.finales.digits", "terminals.rapid-b.finales.digits"},
    "rws-triple-zero": {"wheel.order", "terminals.rapid-a.finales.digits"},
    "mbs-sands": {"wheel.order", "layouts.A.picture"},
    "mbs-electronic-double-zero": {"wheel.order", "layouts.A.picture"},
    "rws-money-wheel": {"wheel.order"},
}


def test_data_missing_from_the_documents_is_marked_as_inferred(games: dict[str, Game]) -> None:
    for id, places in RECONSTRUCTED.items():
        assert places <= {note.at for note in games[id].rulebook.inferred}
    assert LayoutId("A") in games["rws-double-zero"].layouts
