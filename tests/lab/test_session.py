"""Sessions of n rounds: the exact law against plain convolution, the fast law against the exact law."""

import random
from fractions import Fraction
from itertools import accumulate
from math import comb

import pytest

from roundhouse.lab.distribution import Distribution
from roundhouse.lab.session import FAST_ERROR, ExactLaw, FastLaw, NoSuchSession, TooLarge
from roundhouse.lab.slip import Slip, make_slip
from roundhouse.lab.sparse import SparseExactLaw, SparseLaw, exact_law, fast_law, session
from roundhouse.rules.game import Game
from roundhouse.rules.names import Cents
from roundhouse.rules.settlement import Bet
from tests.support.plain_odds import convolved, nets_by_segment

LEVELS = [Fraction(n, 1000) for n in (1, 25, 50, 500, 950, 975, 999)]


def _random_slip(game: Game, seed: int, bets: int) -> tuple[Slip, list[int]]:
    draw = random.Random(f"{game.id} {seed}")
    layout = next(iter(game.layouts.values()))
    stakes = [(draw.choice(layout.positions).id, draw.choice([1, 2, 5])) for _ in range(bets)]
    slip = make_slip(game, layout, [Bet(position, Cents(stake)) for position, stake in stakes])
    return slip, nets_by_segment(game, layout, stakes)


@pytest.mark.parametrize(("bets", "rounds"), [(1, 1), (1, 9), (3, 5), (12, 3)])
def test_the_exact_law_matches_plain_convolution(game: Game, bets: int, rounds: int) -> None:
    slip, nets = _random_slip(game, bets, bets)
    law = ExactLaw(slip.net, rounds)
    known = convolved(nets, rounds)
    for result, chance in known.items():
        assert law.exactly(result).value == chance
    for threshold in (min(known) - 1, min(known), -1, 0, 1, max(known), max(known) + 1):
        assert law.at_least(threshold).value == sum(p for r, p in known.items() if r >= threshold)
    for level in LEVELS:
        total = Fraction(0)
        wanted = next(r for r in sorted(known) if (total := total + known[r]) >= level)
        assert law.quantile(level) == wanted
    assert law.exactly(max(known) + 1).value == 0
    assert law.exactly(min(known) - 1).value == 0


def test_ten_thousand_rounds_of_a_straight_up_are_binomial(double_zero: Game) -> None:
    """A player is ahead after 10,000 rounds with at least 278 wins, because 277 × 36 < 10,000 < 278 × 36."""
    law = ExactLaw(Distribution({-1: 37, 35: 1}), 10_000)
    # Sum C(n, k) 37ⁿ⁻ᵏ from n wins downwards, each term from the previous one.
    total = term = 1
    for wins in range(9_999, 277, -1):
        term = term * (wins + 1) * 37 // (10_000 - wins)
        total += term
    known = Fraction(total, 38**10_000)
    assert law.at_least(1).value == known
    fast = FastLaw(Distribution({-1: 37, 35: 1}), 10_000).at_least(1)
    assert abs(fast.value - known) < FAST_ERROR / 100


def test_both_methods_agree_for_ten_thousand_rounds(game: Game) -> None:
    layout = next(iter(game.layouts.values()))
    kinds = {(position.type, position.pays): position for position in layout.positions}
    for position in list(kinds.values())[:: max(1, len(kinds) // 2)]:
        slip = make_slip(game, layout, [Bet(position.id, Cents(100))])
        _agree(slip.net, 10_000)


@pytest.mark.parametrize("rounds", [1, 2, 7, 100, 400])
def test_both_methods_agree_for_slips_with_many_bets(game: Game, rounds: int) -> None:
    slip, _ = _random_slip(game, 7, 20)
    _agree(slip.net, rounds)


def _agree(one_round: Distribution, rounds: int) -> None:
    exact, fast = ExactLaw(one_round, rounds), FastLaw(one_round, rounds)
    results = [int(result) for result in fast.results]
    for index in range(0, len(results), max(1, len(results) // 13)):
        result = results[index]
        assert abs(exact.exactly(result).value - fast.exactly(result).value) < FAST_ERROR / 100
        assert abs(exact.at_least(result).value - fast.at_least(result).value) < FAST_ERROR / 10
    assert [exact.quantile(level) for level in LEVELS] == [fast.quantile(level) for level in LEVELS]
    assert exact.at_least(results[0] - 1).value > 1 - FAST_ERROR
    assert exact.at_least(results[-1] + 1).value < FAST_ERROR


def test_a_fine_lattice_of_many_points_matches_the_trinomial() -> None:
    """Three results whose only common step is one cent, compared with the exact trinomial sum."""
    rounds, one = 60, Distribution({0: 20, 49_999: 17, 50_000: 1})
    fast = FastLaw(one, rounds)
    assert len(fast.probabilities) > 1_000_000
    for wins in (10, 25, 27, 30, 50):
        known = sum(
            comb(rounds, i) * comb(rounds - i, j) * 17**i * 20 ** (rounds - i - j)
            for i in range(rounds + 1)
            for j in range(rounds + 1 - i)
            if 49_999 * i + 50_000 * j >= 49_999 * wins
        )
        assert abs(fast.at_least(49_999 * wins).value - Fraction(known, 38**rounds)) < FAST_ERROR


def test_a_constant_result_has_probability_one() -> None:
    for law in (ExactLaw(Distribution({-2: 38}), 5), FastLaw(Distribution({-2: 38}), 5)):
        assert law.exactly(-10).value == pytest.approx(1)
        assert law.quantile(Fraction(1, 2)) == -10


def test_the_method_is_chosen_by_the_size_of_the_session() -> None:
    assert isinstance(session(Distribution({-1: 20, 1: 18}), 1000), ExactLaw)
    assert isinstance(session(Distribution({-1: 20, 1: 18}), 100_000), FastLaw)
    assert isinstance(session(Distribution({-997: 20, 17: 3, 1001: 15}), 1000), FastLaw)


def test_sessions_that_are_too_large_are_refused() -> None:
    with pytest.raises(TooLarge, match="fast method"):
        exact_law(Distribution({-1: 20, 1: 18}), 1_000_000)
    with pytest.raises(TooLarge, match="larger common divisor"):
        fast_law(Distribution({-99_999_999: 10, 3: 3, 99_999_998: 10, 7: 9, 12_345_678: 6}), 10_000)
    with pytest.raises(NoSuchSession, match="not -3"):
        FastLaw(Distribution({-1: 20, 1: 18}), -3)


FAR_APART = Distribution({-99_999_999: 20, 3: 3, 99_999_998: 15})


@pytest.mark.parametrize("rounds", [1, 2, 7, 60])
def test_the_sparse_laws_match_plain_convolution(rounds: int) -> None:
    """Compare the sparse laws with a dictionary that is convolved round by round."""
    law, fast = SparseExactLaw(FAR_APART, rounds), SparseLaw(FAR_APART, rounds)
    plain = {0: 1}
    for _ in range(rounds):
        after: dict[int, int] = {}
        for net, count in plain.items():
            for one, weight in FAR_APART.weights.items():
                after[net + one] = after.get(net + one, 0) + count * weight
        plain = after
    whole = 38**rounds
    for net, count in plain.items():
        assert law.exactly(net).value == Fraction(count, whole)
        assert abs(fast.exactly(net).value - Fraction(count, whole)) < Fraction(1, 10**13)
        assert abs(fast.at_least(net).value - law.at_least(net).value) < Fraction(1, 10**12)
    assert law.exactly(1).value == fast.exactly(1).value == 0
    assert law.at_least(min(plain)).value == 1
    assert law.at_least(max(plain) + 1).value == 0
    for level in (Fraction(1, 1000), Fraction(1, 2), Fraction(19, 20), Fraction(1)):
        cumulated = accumulate(plain[net] for net in sorted(plain))
        expected = next(net for net, up_to in zip(sorted(plain), cumulated) if Fraction(up_to, whole) >= level)
        assert law.quantile(level) == expected
        assert level == 1 or fast.quantile(level) == expected


def test_the_sparse_law_has_the_correct_moments_after_ten_thousand_rounds() -> None:
    law = session(FAR_APART, 10_000)
    assert isinstance(law, SparseLaw)
    nets, probabilities = law.results.astype(float), law.probabilities
    sums = FAR_APART.moments.times(10_000)
    assert float(probabilities.sum()) == pytest.approx(1, abs=1e-12)
    assert float(nets @ probabilities) == pytest.approx(float(sums.mean), rel=1e-11)
    assert float((nets - float(sums.mean)) ** 2 @ probabilities) == pytest.approx(float(sums.variance), rel=1e-10)
    near = law.at_least(round(sums.mean)).value
    assert abs(near - Fraction(1, 2)) < Fraction(1, 100)


def test_the_lattice_and_the_sparse_law_agree() -> None:
    one = Distribution({-11: 19, 2: 4, 7: 15})
    for rounds in (50, 4_000):
        lattice, sparse = FastLaw(one, rounds), SparseLaw(one, rounds)
        for net in range(-11 * rounds, 7 * rounds, 97):
            assert abs(lattice.at_least(net).value - sparse.at_least(net).value) < Fraction(1, 10**12)
    assert isinstance(session(FAR_APART, 40), SparseExactLaw)


def test_a_refusal_states_the_size_and_a_remedy() -> None:
    many = Distribution({997**number: 1 for number in range(1, 9)})
    with pytest.raises(TooLarge, match=r"reachable sums.*steps.*fewer rounds, fewer bets"):
        fast_law(many, 10_000)
    with pytest.raises(TooLarge, match=r"exact method needs .* GB.*fast method"):
        exact_law(many, 10_000)
