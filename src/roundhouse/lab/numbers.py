"""How exact numbers are shown: fractions as they are, and decimals that are correctly rounded and say so.

Nothing here computes with floats: a decimal is the nearest one to the exact number, and bears the sign ≈
unless it *is* the exact number.

A probability with what is known of it: the exact fraction, or a number and a bound on its error.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

_LONGEST = 40


@dataclass(frozen=True, slots=True)
class Root:
    """A signed square root of a fraction: what a deviation or a skewness is when it is not a fraction itself."""

    sign: int
    square: Fraction

    @property
    def rational(self) -> Fraction | None:
        """The number as a fraction, where it is one."""
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
    assert square >= 0, "a square is not negative"
    return Root(0 if square == 0 else sign, square)


def nearest(value: Fraction | Root, places: int) -> Fraction:
    """The decimal fraction of so many places that lies nearest; a tie goes to the even digit.

    >>> nearest(Fraction(1, 19), 6), nearest(root(Fraction(2)), 3)
    (Fraction(6579, 125000), Fraction(707, 500))
    """
    scale = 10**places
    if isinstance(value, Fraction):
        return Fraction(round(value * scale), scale)
    if (rational := value.rational) is not None:
        return nearest(rational, places)
    # An irrational root never lies on a tie: the floor of twice the scaled root tells the side.
    twice = isqrt(value.square.numerator * (2 * scale) ** 2 // value.square.denominator)
    return Fraction(value.sign * ((twice + 1) // 2), scale)


def decimal(value: Fraction | Root, places: int = 6) -> str:
    """
    >>> decimal(Fraction(1, 19)), decimal(Fraction(1, 4)), decimal(root(Fraction(2)), 3)
    ('≈ 0.052632', '0.25', '≈ 1.414')
    """
    rounded = nearest(value, places)
    exact = rounded == (value if isinstance(value, Fraction) else value.rational)
    digits = _digits(rounded, places)
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) if exact else f"≈ {digits}"


def percent(value: Fraction, places: int = 4) -> str:
    """
    >>> percent(Fraction(1, 19)), percent(Fraction(1, 4))
    ('≈ 5.2632 %', '25 %')
    """
    return f"{decimal(value * 100, places)} %"


def significant(value: Fraction, digits: int = 12) -> str:
    """A probability that may be tiny: so many digits that count, nearest to the exact number.

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
    if abs(nearest(mantissa, digits - 1)) >= 10:  # rounding has carried into a new digit
        exponent += 1
        mantissa /= 10
    shown = decimal(mantissa, digits - 1)
    return f"{shown} × {power_of_ten(exponent)}"


def power_of_ten(exponent: int) -> str:
    """
    >>> power_of_ten(-11)
    '10⁻¹¹'
    """
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def shown(value: Fraction, places: int = 6) -> str:
    """The fraction itself while it is readable, else its decimal."""
    return str(value) if readable(value) else decimal(value, places)


def readable(value: Fraction) -> bool:
    return value.numerator.bit_length() + value.denominator.bit_length() < 3.3 * _LONGEST


def _leading_zeros(size: Fraction) -> int:
    """How far the first digit that counts stands behind the point."""
    # 0.30103 is the decimal logarithm of two: a first guess, mended by the loops.
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
    value: Fraction
    error: Fraction = Fraction(0)
    """The true probability is nowhere farther away than this."""

    @property
    def exact(self) -> bool:
        return self.error == 0

    def __str__(self) -> str:
        if self.exact:
            return f"{self.value}" if readable(self.value) else significant(self.value, 15)
        digits, _, exponent = f"{float(self.error):.0e}".partition("e")
        return f"{decimal(self.value, 12)} ± {digits} × {power_of_ten(int(exponent))}"

    def as_json(self) -> dict[str, object]:
        """Whole for programs: a fraction of any length, in hexadecimal where its decimals would be unreadable."""
        if not self.exact:
            return {"exact": None, "decimal": float(self.value), "error": float(self.error)}
        top, bottom = self.value.numerator, self.value.denominator
        whole = f"{top}/{bottom}" if bottom.bit_length() < 4000 else f"{top:#x}/{bottom:#x}"
        return {"exact": whole, "decimal": float(self.value), "error": 0}

    def complement(self) -> "Chance":
        return Chance(1 - self.value, self.error)
