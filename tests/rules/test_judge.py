"""Every irregularity of every game, alone and in combination, compared with the documents."""

from itertools import chain, combinations

import pytest

from roundhouse.rules.game import Game
from roundhouse.rules.judge import (
    Direction,
    Misreported,
    Spin,
    Valid,
    Void,
    judge,
    reportable_irregularities,
    without_effect,
)
from roundhouse.rules.names import Clause, IrregularityId
from tests.documents import Document
from tests.documents.shelf import DOCUMENTS
from tests.support.clauses import each_document

BALL_GAMES = [document for document in DOCUMENTS if document.zeros]
MONEY_WHEEL = next(document for document in DOCUMENTS if not document.zeros)
CW, ACW = Direction.CLOCKWISE, Direction.ANTICLOCKWISE
SEEN_OF_A_BALL = [
    "ball_dropped",
    "ball_did_not_drop",
    "ball_left_wheel",
    "wheel_not_rotating",
    "foreign_object",
    "interference",
    "wheel_stopped",
    "ball_broke",
    "no_spin",
]

one_at_a_time = pytest.mark.parametrize(
    ("document", "observed", "clause"),
    [
        pytest.param(
            document,
            observed,
            clause,
            marks=pytest.mark.clause(document.game, clause),
            id=f"{document.game} {observed}",
        )
        for document in BALL_GAMES
        for observed, clause in document.irregularities.items()
    ],
)


def verdict(game: Game, spin: Spin) -> Valid | Void:
    return judge(game.rulebook, game.wheel, spin)


def ball(*seen: str, same: bool = False, revolutions: float = 4, rest: str | None = "17") -> Spin:
    return Spin(
        ball=CW, wheel=CW if same else ACW, revolutions=revolutions, rest=rest, seen=tuple(map(IrregularityId, seen))
    )


def subsets(names: list[str]) -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(names, n) for n in range(len(names) + 1)))


@each_document(
    {
        "rws-double-zero": "1.8, 3.6, 3.7",
        "rws-triple-zero": "1.8, 3.6, 3.7",
        "mbs-sands": "1.1.3, 1.1.4, 1.1.6, 3.5, 3.7",
        "mbs-electronic-double-zero": "1.1.3, 1.1.5, 3.6, 3.8",
    },
    ball=True,
)
def test_a_clean_spin_is_valid_with_the_pocket_of_rest(games: dict[str, Game], document: Document) -> None:
    game = games[document.game]
    assert set(game.wheel.pockets) == {*document.zeros.split(), *map(str, range(1, 37))}
    for pocket in game.wheel.pockets:
        for ball_way, wheel_way in ((CW, ACW), (ACW, CW)):
            for revolutions in (4, 5, 40):
                spin = Spin(ball=ball_way, wheel=wheel_way, revolutions=revolutions, rest=pocket)
                assert verdict(game, spin) == Valid(pocket)


@one_at_a_time
def test_one_irregularity_voids_the_round_under_its_clause(
    games: dict[str, Game], document: Document, observed: str, clause: str
) -> None:
    match observed:
        case "same_direction":
            spin = ball(same=True)
        case "too_few_revolutions":
            spin = ball(revolutions=3)
        case _:
            spin = ball(observed)
    assert verdict(games[document.game], spin) == Void((clause,))  # type: ignore[arg-type]


@each_document({"rws-double-zero": "1.11, 5.3", "rws-triple-zero": "1.11, 5.3"}, ball=True)
def test_every_combination_of_irregularities_names_all_clauses(games: dict[str, Game], document: Document) -> None:
    """Check all 2⁹ sets of irregularities × directions × revolutions, in the order of the document."""
    game = games[document.game]
    order = list(document.irregularities)
    for seen in subsets(SEEN_OF_A_BALL):
        for same in (False, True):
            for revolutions in (0, 3, 4):
                observed = {*seen, *(["same_direction"] if same else [])}
                observed |= {"too_few_revolutions"} if revolutions < 4 else set()
                expected = tuple(document.irregularities[name] for name in order if name in observed)
                found = verdict(game, ball(*seen, same=same, revolutions=revolutions))
                assert found == (Void(expected) if expected else Valid("17"))  # type: ignore[arg-type]


@each_document(ball=True)
def test_fewer_than_four_whole_revolutions_are_too_few(games: dict[str, Game], document: Document) -> None:
    assert isinstance(verdict(games[document.game], ball(revolutions=3.9)), Void)
    assert verdict(games[document.game], ball(revolutions=4.5)) == Valid("17")  # type: ignore[arg-type]


@each_document(ball=True)
def test_a_ball_without_a_resting_place_did_not_drop(games: dict[str, Game], document: Document) -> None:
    nowhere = document.irregularities["ball_did_not_drop"]
    assert verdict(games[document.game], ball(rest=None)) == Void((nowhere,))  # type: ignore[arg-type]
    for seen in ("ball_left_wheel", "ball_broke", "ball_did_not_drop"):
        found = verdict(games[document.game], ball(seen, rest=None))
        assert found == Void((document.irregularities[seen],))  # type: ignore[arg-type]
    # A ball that rests nowhere counts as not dropped, in addition to other irregularities.
    order = list(document.irregularities)
    expected = sorted(["ball_did_not_drop", "foreign_object", "too_few_revolutions"], key=order.index)
    found = verdict(games[document.game], ball("foreign_object", revolutions=3, rest=None))
    assert found == Void(tuple(Clause(document.irregularities[name]) for name in expected))
    with pytest.raises(Misreported, match="rest"):
        verdict(games[document.game], Spin(ball=CW, wheel=ACW, revolutions=4))
    assert isinstance(verdict(games[document.game], Spin(ball=CW, wheel=CW, revolutions=4)), Void)


@each_document(ball=True)
def test_a_missing_direction_is_an_irregularity(games: dict[str, Game], document: Document) -> None:
    game = games[document.game]
    still = Spin(ball=CW, wheel=None, revolutions=4, rest="17")
    assert verdict(game, still) == Void((document.irregularities["wheel_not_rotating"],))  # type: ignore[arg-type]
    dropped = Spin(ball=None, wheel=CW, revolutions=4, rest="17")
    assert verdict(game, dropped) == Void((document.irregularities["ball_dropped"],))  # type: ignore[arg-type]
    with pytest.raises(Misreported, match="give the direction"):
        verdict(game, Spin(wheel=CW, revolutions=4, rest="17"))


@pytest.mark.clause("mbs-electronic-double-zero", "5.15")
def test_a_call_of_no_spin_has_an_effect_in_one_game_only(games: dict[str, Game]) -> None:
    assert verdict(games["mbs-electronic-double-zero"], ball("no_spin")) == Void(("5.15",))  # type: ignore[arg-type]
    for id in ("rws-double-zero", "rws-triple-zero", "mbs-sands"):
        assert verdict(games[id], ball("no_spin")) == Valid("17")  # type: ignore[arg-type]
        assert without_effect(games[id].rulebook, ball("no_spin", "ball_broke")) == ("no_spin",)


@pytest.mark.clause(
    "rws-money-wheel", "2.2.1", "3.4", "3.5", "5.1", "5.1.1", "5.1.2", "5.1.3", "1 / Revolution", "1 / Spin"
)
def test_the_money_wheel_is_judged_for_every_segment_and_combination(games: dict[str, Game]) -> None:
    """A clapper on a pin is void, even between two equal symbols."""
    game = games["rws-money-wheel"]
    rim = MONEY_WHEEL.rim.split()
    assert len(rim) == 52
    for segment, symbol in enumerate(rim):
        for seen in subsets(["interference", "clapper_on_pin"]):
            for revolutions in (0, 2, 3, 30):
                observed = [*seen, *(["too_few_revolutions"] if revolutions < 3 else [])]
                expected = tuple(clause for name, clause in MONEY_WHEEL.irregularities.items() if name in observed)
                spin = Spin(wheel=CW, revolutions=revolutions, rest=segment, seen=tuple(map(IrregularityId, seen)))
                found = verdict(game, spin)
                assert found == (Void(expected) if expected else Valid(symbol))  # type: ignore[arg-type]
    assert verdict(game, Spin(revolutions=3, rest=0)) == Valid("RWS")  # type: ignore[arg-type]
    assert verdict(game, Spin(ball=None, revolutions=3, rest=0)) == Valid("RWS")  # type: ignore[arg-type]
    on_a_pin = Spin(revolutions=3, rest=None, seen=(IrregularityId("clapper_on_pin"),))
    assert verdict(game, on_a_pin) == Void(("5.1.2",))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("game", "spin"),
    [
        ("rws-double-zero", ball("sunspots")),
        ("rws-double-zero", ball("clapper_on_pin")),
        ("rws-double-zero", ball("too_few_revolutions")),
        ("rws-double-zero", ball("same_direction")),
        ("rws-double-zero", ball("interrupted_without_outcome")),
        ("rws-double-zero", ball(rest="37")),
        ("rws-double-zero", ball(rest="000")),
        ("rws-double-zero", ball(rest="017")),
        ("rws-double-zero", ball(revolutions=-1)),
        ("rws-double-zero", Spin(ball=CW, wheel=ACW, revolutions=4, rest=17)),
        ("mbs-sands", ball(rest="000")),
        ("rws-money-wheel", Spin(revolutions=3, rest=None)),
        ("rws-money-wheel", Spin(revolutions=3)),
        ("rws-money-wheel", Spin(wheel=None, revolutions=3, rest=3)),
        ("rws-double-zero", ball(revolutions=10**9)),
        ("rws-money-wheel", Spin(revolutions=3, rest=52)),
        ("rws-money-wheel", Spin(revolutions=3, rest=-1)),
        ("rws-money-wheel", Spin(revolutions=3, rest="RWS")),
        ("rws-money-wheel", Spin(ball=CW, revolutions=3, rest=3)),
        ("rws-money-wheel", Spin(revolutions=3, rest=3, seen=(IrregularityId("ball_broke"),))),
    ],
)
def test_an_impossible_spin_is_refused_as_misreported(games: dict[str, Game], game: str, spin: Spin) -> None:
    with pytest.raises(Misreported):
        verdict(games[game], spin)


def test_the_reportable_irregularities_are_those_of_the_documents(games: dict[str, Game]) -> None:
    for document in BALL_GAMES:
        assert reportable_irregularities(games[document.game].rulebook) == set(SEEN_OF_A_BALL)
    assert reportable_irregularities(games["rws-money-wheel"].rulebook) == {"interference", "clapper_on_pin"}
