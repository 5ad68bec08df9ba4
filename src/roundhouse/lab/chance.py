"""A probability with what is known of it: the exact fraction, or a number and a bound on its error."""

from dataclasses import dataclass
from fractions import Fraction

from roundhouse.lab.figures import decimal, power_of_ten, readable, significant


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
