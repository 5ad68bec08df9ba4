"""Exact numbers and their text form: fractions, square roots, decimals, and probabilities with an error bound.

A decimal is rounded correctly from the exact number, without floats. It has the prefix ≈ unless it is exact.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

_MAX_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Root:
    """A signed square root of a fraction, such as a standard deviation or a skewness."""

    sign: int
    square: Fraction

    @property
    def rational(self) -> Fraction | None:
        """The number as a fraction, or None if it is irrational."""
        top, bottom = isqrt(self.square.numerator), isqrt(self.square.denominator)
        exact = top * top == self.square.numerator and bottom * bottom == self.square.denominator
        return self.sign * Fraction(top, bottom) if exact else None

    def __str__(self) -> str:
        if (rational := self.rational) is not None:
            return str(rational)
        return f"{'-' if self.sign < 0 else ''}√({self.square})"

    def __float__(self) -> float:
        return float(nearest(self, 20))


def root(square: Fraction, sign: int = 1) -> Root:
    assert square >= 0, "a square must not be negative"
    return Root(0 if square == 0 else sign, square)


def nearest(value: Fraction | Root, places: int) -> Fraction:
    """Round to the nearest decimal fraction with this number of places; ties go to the even digit.

    >>> nearest(Fraction(1, 19), 6), nearest(root(Fraction(2)), 3)
    (Fraction(6579, 125000), Fraction(707, 500))
    """
    scale = 10**places
    if isinstance(value, Fraction):
        return Fraction(round(value * scale), scale)
    if (rational := value.rational) is not None:
        return nearest(rational, places)
    # An irrational root is never halfway between two decimals, so the floor of twice the scaled root suffices.
    twice = isqrt(value.square.numerator * (2 * scale) ** 2 // value.square.denominator)
    return Fraction(value.sign * ((twice + 1) // 2), scale)


def decimal(value: Fraction | Root, places: int = 6) -> str:
    """Format a number as a decimal, with the prefix ≈ unless the decimal is exact.

    >>> decimal(Fraction(1, 19)), decimal(Fraction(1, 4)), decimal(root(Fraction(2)), 3)
    ('≈ 0.052632', '0.25', '≈ 1.414')
    """
    rounded = nearest(value, places)
    exact = rounded == (value if isinstance(value, Fraction) else value.rational)
    digits = _digits(rounded, places)
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) if exact else f"≈ {digits}"


def percent(value: Fraction, places: int = 4) -> str:
    """Format a number as a percentage, with the prefix ≈ unless the percentage is exact.

    >>> percent(Fraction(1, 19)), percent(Fraction(1, 4))
    ('≈ 5.2632 %', '25 %')
    """
    return f"{decimal(value * 100, places)} %"


def significant(value: Fraction, digits: int = 12) -> str:
    """Format a possibly tiny number with this many significant digits.

    >>> significant(Fraction(1, 3), 5), significant(Fraction(1, 7 * 10**30), 3), significant(Fraction(0))
    ('≈ 0.33333', '≈ 1.43 × 10⁻³¹', '0')
    """
    if value == 0:
        return "0"
    size = abs(value)
    exponent = len(str(size.numerator // size.denominator)) - 1 if size >= 1 else -_leading_zeros(size)
    if -5 < exponent < digits:
        return decimal(value, digits - 1 - exponent)
    mantissa = value / Fraction(10) ** exponent
    if abs(nearest(mantissa, digits - 1)) >= 10:  # Rounding has added a digit, as from 9.99 to 10.0.
        exponent += 1
        mantissa /= 10
    return f"{decimal(mantissa, digits - 1)} × {power_of_ten(exponent)}"


def power_of_ten(exponent: int) -> str:
    """Format a power of ten with a superscript exponent.

    >>> power_of_ten(-11)
    '10⁻¹¹'
    """
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def readable(value: Fraction) -> bool:
    """Return whether the fraction has at most about ``_MAX_DIGITS`` digits."""
    return value.numerator.bit_length() + value.denominator.bit_length() < 3.3 * _MAX_DIGITS


def _leading_zeros(size: Fraction) -> int:
    """Return the place of the first significant digit after the decimal point, counted from 1."""
    # 0.30103 is log10(2). The loops correct this first guess.
    guess = max(1, int((size.denominator.bit_length() - size.numerator.bit_length()) * 0.30103))
    while size * 10**guess >= 10:
        guess -= 1
    while size * 10**guess < 1:
        guess += 1
    return guess


def _digits(value: Fraction, places: int) -> str:
    whole = abs(value) * 10**places
    assert whole.denominator == 1
    text = f"{whole.numerator:0{places + 1}d}"
    sign = "-" if value < 0 else ""
    return f"{sign}{text[:-places]}.{text[-places:]}" if places else f"{sign}{text}"


@dataclass(frozen=True, slots=True)
class Chance:
    """A probability: an exact fraction, or a value with an error bound."""

    value: Fraction
    error: Fraction = Fraction(0)
    """Bound on the distance between ``value`` and the true probability. 0 means exact."""

    @property
    def exact(self) -> bool:
        return self.error == 0

    def __str__(self) -> str:
        if self.exact:
            return f"{self.value}" if readable(self.value) else significant(self.value, 15)
        digits, _, exponent = f"{float(self.error):.0e}".partition("e")
        return f"{decimal(self.value, 12)} ± {digits} × {power_of_ten(int(exponent))}"

    def as_json(self) -> dict[str, object]:
        """Return the full fraction for programs, in hexadecimal if the denominator has 4000 bits or more."""
        if not self.exact:
            return {"exact": None, "decimal": float(self.value), "error": float(self.error)}
        top, bottom = self.value.numerator, self.value.denominator
        whole = f"{top}/{bottom}" if bottom.bit_length() < 4000 else f"{top:#x}/{bottom:#x}"
        return {"exact": whole, "decimal": float(self.value), "error": 0}

    def complement(self) -> "Chance":
        return Chance(1 - self.value, self.error)
