"""Hold bands, liability, ranking by edge, dominated bets and minimum-return checks."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from roundhouse import rulebooks
from roundhouse.lab import minimum_return
from roundhouse.lab.dominance import cheapest, dominated, odds_of, rank
from roundhouse.lab.hold import bad_night, covering_bets, hold_bands, hold_deviation, liability, normal_band
from roundhouse.lab.session import ExactLaw
from roundhouse.lab.slip import SlipLimits, make_slip
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.names import BetType, Cents, LayoutId, Pocket, PositionId
from roundhouse.rules.settlement import Bet
from tests.support.plain_odds import convolved, nets_by_segment


def test_hold_bands_contain_their_stated_probability(game: Game) -> None:
    layout = next(iter(game.layouts.values()))
    position = layout.positions[-1]
    slip = make_slip(game, layout, [Bet(position.id, Cents(100))])
    known = convolved(nets_by_segment(game, layout, [(position.id, 100)]), 12)
    for band in hold_bands(slip, ExactLaw(slip.net, 12)):
        inside = sum(p for net, p in known.items() if band.low <= Fraction(-net, 1200) <= band.high)
        assert inside >= band.level
        # The band is minimal: a narrower end would leave more than the allowed tail outside.
        tail = (1 - band.level) / 2
        assert sum(p for net, p in known.items() if Fraction(-net, 1200) >= band.high) >= tail
        assert sum(p for net, p in known.items() if Fraction(-net, 1200) <= band.low) >= tail


def test_a_bad_night_is_the_loss_not_exceeded_in_999_of_1000_nights(double_zero: Game) -> None:
    layout = double_zero.layouts[LayoutId("A")]
    slip = make_slip(double_zero, layout, [Bet(PositionId("straight:7"), Cents(100))])
    law = ExactLaw(slip.net, 40)
    known = convolved(nets_by_segment(double_zero, layout, [("straight:7", 100)]), 40)
    loss = bad_night(law)
    assert sum(p for net, p in known.items() if net <= loss) >= Fraction(999, 1000)
    assert sum(p for net, p in known.items() if net < loss) < Fraction(999, 1000)
    assert hold_deviation(slip, 100).square == slip.per_unit.variance / 100
    band = normal_band(slip, 1_000_000, Fraction(95, 100))
    assert band.half == pytest.approx(1.959964 * float(slip.per_unit.deviation) / 1000, rel=1e-6)


def test_liability_equals_the_payout_of_a_settlement(game: Game) -> None:
    for layout in game.layouts.values():
        limits = SlipLimits(Cents(1), Cents(500), {layout.positions[0].type: Cents(200)})
        found = liability(layout, limits)
        all_bets = [Bet(position.id, limits.max_stake_on(position.id)) for position in layout.positions]
        staked = sum(bet.stake for bet in all_bets)
        for pocket in game.wheel.pockets:
            slip = make_slip(game, layout, covering_bets(layout, limits, pocket), limits)
            assert found.covering[pocket] == slip.returns[pocket] - slip.staked
            assert found.whole_layout[pocket] == game.prices(layout.id).settle(pocket, all_bets).returned - staked
        for pocket, cents in found.covering.items():
            assert cents <= found.worst
            assert (cents == found.worst) == (pocket in found.worst_outcomes)


def test_bets_are_ranked_by_house_edge(game: Game) -> None:
    for terminal in game.terminals.values():
        ranked = rank(odds_of(terminal.layout, terminal))
        assert len(ranked) == len(terminal.layout.positions) + len(terminal.packages)
        for better, worse in pairwise(ranked):
            assert (better.rank < worse.rank) == (better.odds.edge < worse.odds.edge)
            assert worse.rank - better.rank in (0, 1)
        assert ranked[0].rank == 1


def test_the_top_line_is_dominated_by_its_five_numbers(double_zero: Game) -> None:
    layout = double_zero.layouts[LayoutId("B")]
    (found,) = dominated(layout)
    assert found.id == "top_line"
    assert found.cost == Fraction(35, 36)
    for pocket in double_zero.wheel.pockets:
        returned = sum(
            part * (layout.by_id[id].pays + 1) for id, part in found.by.items() if pocket in layout.by_id[id].covers
        )
        assert returned >= (7 if pocket in ("0", "00", "1", "2", "3") else 0)
    assert sum(found.by.values()) == found.cost


def test_only_the_top_line_is_dominated(game: Game) -> None:
    names = {d.id for terminal in game.terminals.values() for d in dominated(terminal.layout, terminal)}
    assert names == ({"top_line"} if game.id == "rws-double-zero" else set())


def test_lower_odds_make_a_bet_dominated(my_game: Path) -> None:
    """A split at 16 to 1 returns less than straight up bets on its two numbers. So do packages with splits."""
    text = my_game.read_text(encoding="utf-8").replace("numbers = 2, pays = 17", "numbers = 2, pays = 16")
    game = load(text.encode())
    terminal = next(iter(game.terminals.values()))
    found = {d.id: d.cost for d in dominated(terminal.layout, terminal)}
    assert {id for id in found if id.startswith("split:")} == {
        p.id for p in terminal.layout.positions if p.type == BetType("split")
    }
    assert found[PositionId("split:1-2")] == Fraction(34, 36)
    assert "tiers" in found
    assert "straight:1" not in found


def test_the_cheapest_mixture_has_a_duality_certificate() -> None:
    """The certificate is a set of prices under which no offer is worth more than its cost."""
    a, b, c = Pocket("a"), Pocket("b"), Pocket("c")
    wanted = {a: 6, b: 4, c: 0}
    offers = [{a: 3, b: 3}, {a: 5}, {b: 5, c: 5}, {c: 9}]
    mixture = cheapest(wanted, offers)
    assert mixture is not None
    for pocket in (a, b, c):
        assert sum(stake * offers[i].get(pocket, 0) for i, stake in mixture.stakes.items()) >= wanted[pocket]
    assert sum(mixture.stakes.values()) == mixture.cost
    assert all(sum(mixture.prices.get(p, Fraction(0)) * r for p, r in offer.items()) <= 1 for offer in offers)
    assert sum(mixture.prices.get(p, Fraction(0)) * units for p, units in wanted.items()) == mixture.cost
    assert mixture.cost == Fraction(26, 15)
    assert cheapest({a: 1}, [{b: 1}]) is None


def test_shipped_minimum_return_profiles_are_applied() -> None:
    profiles = {profile.id: profile for profile in minimum_return.shipped_profiles()}
    assert {id: profile.minimum for id, profile in profiles.items()} == {
        "nevada": Fraction(3, 4),
        "new-jersey": Fraction(83, 100),
        "new-mexico": Fraction(4, 5),
    }
    wheel = rulebooks.find("rws-money-wheel")
    failed = minimum_return.check(wheel, profiles["new-jersey"])
    assert [below.id for below in failed.below] == ["symbol:20"]
    assert (failed.least, failed.bets, failed.passed) == (Fraction(21, 26), 7, False)
    assert minimum_return.check(wheel, profiles["new-mexico"]).passed
    assert minimum_return.check(rulebooks.find("rws-double-zero"), profiles["new-jersey"]).least == Fraction(35, 38)


def test_custom_profiles_are_applied_and_their_faults_reported(tmp_path: Path, double_zero: Game) -> None:
    path = tmp_path / "mine.toml"
    text = 'id = "mine"\nname = "Mine"\nminimum_return = "{}"\nsource = "me"\n'
    path.write_text(text.format("18/19"))
    mine = minimum_return.check(double_zero, minimum_return.find(str(path)))
    assert [(b.layout, b.id) for b in mine.below] == [("B", "top_line")]
    for wrong in ("a lot", "1/0", "1.5"):
        path.write_text(text.format(wrong))
        with pytest.raises(minimum_return.NoSuchProfile):
            minimum_return.find(str(path))
    with pytest.raises(minimum_return.NoSuchProfile, match="no profile 'atlantis'"):
        minimum_return.find("atlantis")
    with pytest.raises(minimum_return.NoSuchProfile, match="cannot read"):
        minimum_return.find(str(tmp_path / "none.toml"))
