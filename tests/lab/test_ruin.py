"""Ruin within n rounds and in unlimited play, compared with plain recursion and the textbook gambler's ruin."""

from fractions import Fraction

import pytest

from roundhouse.lab.distribution import Distribution
from roundhouse.lab.ruin import exact_ruin_within, fast_ruin_within, ruin_within, sparse_ruin_within, walk_of
from roundhouse.lab.session import NoSuchSession, TooLarge
from roundhouse.lab.ultimate_ruin import certified_ruin, enclosed_ruin, exact_ruin, played_out, ruin_ever
from tests.support.plain_odds import absorbed, weights_of

EVEN = [-1] * 20 + [1] * 18
FAIR = [-1] * 19 + [1] * 19
STRAIGHT = [-1] * 37 + [35]
MIXED = [-20] * 10 + [-3] * 12 + [5] * 4 + [16] * 12
GRIDDED = [-20] * 16 + [-10] * 8 + [10] * 4 + [30] * 10
WALKS = [
    (EVEN, 1, 5, None),
    (EVEN, 1, 5, 9),
    (EVEN, 1, 0, 9),
    (EVEN, 1, 40, None),
    (STRAIGHT, 1, 20, None),
    (STRAIGHT, 1, 20, 50),
    (MIXED, 20, 57, None),
    (MIXED, 20, 57, 93),
    (GRIDDED, 20, 57, None),
    (GRIDDED, 20, 57, 111),
    (GRIDDED, 20, 19, 111),
    (GRIDDED, 20, 20, 21),
]


@pytest.mark.parametrize("rounds", [1, 2, 17])
@pytest.mark.parametrize(("nets", "staked", "bankroll", "target"), WALKS)
def test_ruin_within_n_rounds_matches_plain_recursion(
    nets: list[int], staked: int, bankroll: int, target: int | None, rounds: int
) -> None:
    one = Distribution(weights_of(nets))
    ruined, reached = absorbed(nets, staked, bankroll, rounds, target)
    exact = exact_ruin_within(one, staked, bankroll, rounds, target)
    assert exact.ruined.value == ruined
    assert (exact.reached.value if exact.reached else Fraction(0)) == reached
    fast = fast_ruin_within(one, staked, bankroll, rounds, target)
    assert abs(fast.ruined.value - ruined) <= fast.ruined.error
    if target is not None:
        assert fast.reached is not None
        assert abs(fast.reached.value - reached) <= fast.reached.error
    if bankroll >= staked:
        sparse = sparse_ruin_within(walk_of(one, staked, bankroll, target), rounds)
        assert abs(sparse.ruined.value - ruined) <= sparse.ruined.error < Fraction(1, 10**12)
        assert abs((sparse.reached.value if sparse.reached else 0) - reached) <= sparse.ruined.error


def test_ruin_with_widely_spaced_results_is_computed_or_refused_with_its_size() -> None:
    nets = [-100_000_000] * 20 + [100_000_000] * 17 + [3_499_999_999]
    one = Distribution(weights_of(nets))
    progress: list[tuple[int, int]] = []
    found = ruin_within(one, 100_000_000, 500_000_000, 200, 9_000_000_000, lambda done, of: progress.append((done, of)))
    assert progress[-1] == (200, 200)
    ruined, reached = absorbed(nets, 100_000_000, 500_000_000, 12, 9_000_000_000)
    short = fast_ruin_within(one, 100_000_000, 500_000_000, 12, 9_000_000_000)
    assert abs(short.ruined.value - ruined) <= short.ruined.error
    assert short.reached is not None
    assert abs(short.reached.value - reached) <= short.reached.error
    assert ruined < found.ruined.value < 1
    many = Distribution({-(3**25): 21, 2**30: 5, 3**20: 5, 5**12: 4, 7**9: 3})
    with pytest.raises(TooLarge, match="different bankrolls, too many to continue; use fewer rounds"):
        fast_ruin_within(many, 3**25, 10**15, 10_000)


def test_dropped_probability_is_included_in_the_error() -> None:
    ruined, reached = absorbed(MIXED, 20, 57, 17, 93)
    rough = sparse_ruin_within(walk_of(Distribution(weights_of(MIXED)), 20, 57, 93), 17, min_probability=1e-3)
    assert rough.reached is not None
    missed = max(abs(rough.ruined.value - ruined), abs(rough.reached.value - reached))
    assert Fraction(1, 10**4) < missed <= rough.ruined.error < Fraction(1, 2)


def test_a_very_large_bankroll_cannot_be_ruined() -> None:
    one = Distribution(weights_of(EVEN))
    assert fast_ruin_within(one, 1, 10**40, 1_000).ruined.value == 0
    far = ruin_within(one, 1, 10**40, 1_000, 2 * 10**40).reached
    assert far is not None
    assert far.value < Fraction(1, 10**18)


def test_ruin_within_ten_thousand_rounds_matches_the_reflection_principle() -> None:
    """For a fair coin, P(ruin within n from b) = P(|Sₙ| > b) + P(Sₙ = −b), from the exact law of the sum."""
    from roundhouse.lab.session import ExactLaw

    rounds, bankroll = 10_000, 100
    law = ExactLaw(Distribution(weights_of(FAIR)), rounds)
    known = 2 * law.at_least(bankroll + 1).value + law.exactly(bankroll).value
    found = fast_ruin_within(Distribution(weights_of(FAIR)), 1, bankroll, rounds)
    assert abs(found.ruined.value - known) <= found.ruined.error < Fraction(1, 10**10)


def test_the_method_is_chosen_by_the_amount_of_work() -> None:
    assert ruin_within(Distribution(weights_of(EVEN)), 1, 20, 300).ruined.exact
    assert not ruin_within(Distribution(weights_of(EVEN)), 1, 200, 10_000).ruined.exact


@pytest.mark.parametrize(("bankroll", "target"), [(1, 2), (5, 9), (50, 100), (99, 100)])
def test_ultimate_ruin_matches_the_textbook_formula(bankroll: int, target: int) -> None:
    ratio = Fraction(20, 18)
    known = (ratio**target - ratio**bankroll) / (ratio**target - 1)
    assert ruin_ever(Distribution(weights_of(EVEN)), 1, bankroll, target).value == known
    fair = ruin_ever(Distribution(weights_of(FAIR)), 1, bankroll, target)
    assert fair.value == 1 - Fraction(bankroll, target)


@pytest.mark.parametrize(("nets", "staked", "bankroll", "target"), [w for w in WALKS if w[3] and w[2] >= w[1]])
def test_all_methods_for_ultimate_ruin_agree(nets: list[int], staked: int, bankroll: int, target: int) -> None:
    one = Distribution(weights_of(nets))
    walk = walk_of(one, staked, bankroll, target)
    exact = exact_ruin(walk)
    certified, enclosed = certified_ruin(walk, one), enclosed_ruin(walk, one.moments.mean)
    assert abs(certified.value - exact) <= certified.error < Fraction(1, 10**10)
    assert abs(enclosed.value - exact) <= enclosed.error
    played = played_out(walk)
    assert abs(played.value - exact) <= played.error < Fraction(1, 10**10)
    # Ultimate ruin is the limit of ruin within n rounds.
    ruined, reached = absorbed(nets, staked, bankroll, 30, target)
    assert ruined <= exact <= 1 - reached


def test_without_a_target_ruin_is_certain_unless_no_bet_can_lose() -> None:
    assert ruin_ever(Distribution(weights_of(EVEN)), 1, 10**9).value == 1
    assert ruin_ever(Distribution(weights_of(FAIR)), 1, 10).value == 1
    assert ruin_ever(Distribution({0: 38}), 10, 10).value == 0
    assert ruin_ever(Distribution({0: 38}), 10, 9).value == 1


def test_ultimate_ruin_of_a_slip_with_many_bets_is_precise() -> None:
    """The steps are too long for tight bounds from the root, and there are too many rows to eliminate."""
    nets = [-700] * 9 + [-433] * 9 + [-20] * 8 + [101] * 5 + [399] * 3 + [1_800] * 4
    one = Distribution(weights_of(nets))
    assert one.moments.mean < 0
    walk = walk_of(one, 700, 1_400, 3_500)
    found = ruin_ever(one, 700, 1_400, 3_500)
    assert enclosed_ruin(walk, one.moments.mean).error > Fraction(1, 100)
    assert found.error < Fraction(1, 10**10)
    soon = fast_ruin_within(one, 700, 1_400, 60, 3_500)
    assert soon.reached is not None
    assert soon.ruined.value - soon.ruined.error <= found.value <= 1 - soon.reached.value + soon.reached.error
    assert 1 - soon.reached.value - soon.ruined.value < Fraction(1, 100)


def test_ultimate_ruin_of_large_bankrolls_has_a_small_error() -> None:
    one = Distribution(weights_of(EVEN))
    certified = ruin_ever(one, 1, 30_000, 30_010)
    ratio = Fraction(18, 20)
    assert not certified.exact
    assert abs(certified.value - (1 - ratio**10)) <= certified.error < Fraction(1, 10**8)
    enclosed = ruin_ever(one, 1, 3_000_000, 3_000_010)
    assert abs(enclosed.value - (1 - ratio**10)) <= enclosed.error < Fraction(1, 10**20)


@pytest.mark.parametrize(("bankroll", "target"), [(-1, None), (10, 10), (10, 5)])
def test_impossible_bankrolls_and_targets_are_refused(bankroll: int, target: int | None) -> None:
    with pytest.raises(NoSuchSession, match=r"the bankroll must be at least 0 cents|must be above the bankroll"):
        ruin_within(Distribution(weights_of(EVEN)), 1, bankroll, 10, target)
