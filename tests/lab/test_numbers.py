"""Decimals are rounded to the nearest value and marked when they are not exact."""

from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from roundhouse.lab.distribution import moments_of
from roundhouse.lab.numbers import Chance, Root, decimal, nearest, percent, root, significant

fractions = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**9)


@given(fractions, st.integers(0, 12))
def test_a_fraction_is_rounded_as_the_decimal_module_rounds_it(value: Fraction, places: int) -> None:
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(value.numerator) / Decimal(value.denominator)
        wanted = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
    assert nearest(value, places) == Fraction(wanted)
    text = decimal(value, places)
    assert text.startswith("≈") == (Fraction(wanted) != value)
    assert Fraction(text.removeprefix("≈ ")) == Fraction(wanted)


@given(st.fractions(min_value=0, max_value=10**6, max_denominator=10**6), st.sampled_from([1, -1]), st.integers(0, 12))
def test_a_root_is_rounded_to_the_nearest(square: Fraction, sign: int, places: int) -> None:
    with localcontext() as context:
        context.prec = 80
        exact = sign * (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
        wanted = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
    assert nearest(root(square, sign), places) == Fraction(wanted)


def test_a_root_that_is_a_fraction_is_shown_as_one() -> None:
    assert str(root(Fraction(25, 36))) == "5/6"
    assert decimal(root(Fraction(1, 4)), 3) == "0.5"
    assert str(root(Fraction(2), -1)) == "-√(2)"
    assert root(Fraction(0), -1) == Root(0, Fraction(0))


def test_negative_numbers_are_formatted_with_their_sign() -> None:
    assert decimal(Fraction(-1, 3), 2) == "≈ -0.33"
    assert decimal(Fraction(-1, 2), 2) == "-0.5"
    assert decimal(Fraction(7), 0) == "7"
    assert percent(Fraction(-1, 200)) == "-0.5 %"


def test_tiny_probabilities_are_shown_with_significant_digits() -> None:
    assert significant(Fraction(999_999_999, 10**20), 3) == "≈ 1.00 × 10⁻¹¹"
    assert f"{float(Fraction(1, 38) ** 100):.5e}" == "1.05109e-158"
    assert significant(Fraction(1, 38) ** 100, 6) == "≈ 1.05109 × 10⁻¹⁵⁸"
    assert significant(Fraction(1, 8), 6) == "0.125"


def test_a_probability_is_exact_in_json_whatever_its_length() -> None:
    long = Fraction(18, 38) ** 10_000
    exact = Chance(long).as_json()["exact"]
    assert isinstance(exact, str)
    top, bottom = exact.split("/")
    assert Fraction(int(top, 16), int(bottom, 16)) == long
    assert Chance(Fraction(1, 19)).as_json()["exact"] == "1/19"


def test_moments_of_a_sum_equal_those_of_the_convolution() -> None:
    weights = {-3: 5, 1: 2, 7: 4}
    twice: dict[int, int] = {}
    for a, p in weights.items():
        for b, q in weights.items():
            twice[a + b] = twice.get(a + b, 0) + p * q
    assert moments_of(weights).times(2) == moments_of(twice)
