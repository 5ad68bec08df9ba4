"""Currencies: how many decimals each has, and amounts as people read them.

All amounts in the program are whole minor units of the currency: cents of SGD, yen, fils of KWD. Names such as
``cents`` mean minor units. Only text for people has decimals.
"""

from typing import Final

PLAY_MONEY: Final = "XXX"
"""ISO 4217 code for "no currency". Play money is shown with two decimals."""

_USUAL_DECIMALS: Final = 2
DECIMALS: Final = {
    **dict.fromkeys(("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF"), 0),
    **dict.fromkeys(("UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF"), 0),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
    **dict.fromkeys(("CLF", "UYW"), 4),
}
"""Currencies of ISO 4217 that do not have two decimals. A test compares them with the whole list."""


def decimals_of(currency: str) -> int:
    """Return the number of decimals of a currency. Play money, and a table without a currency, have two.

    >>> decimals_of("SGD"), decimals_of("JPY"), decimals_of("KWD"), decimals_of("XXX")
    (2, 0, 3, 2)
    """
    return DECIMALS.get(currency, _USUAL_DECIMALS)


def format_amount(cents: int, currency: str = PLAY_MONEY) -> str:
    """Format an amount in minor units with the decimals of its currency, without the currency's code.

    >>> format_amount(123456), format_amount(-5), format_amount(123456, "JPY"), format_amount(-5, "KWD")
    ('1,234.56', '-0.05', '123,456', '-0.005')
    """
    decimals, sign = decimals_of(currency), "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 10**decimals)
    return f"{sign}{whole:,}.{rest:0{decimals}d}" if decimals else f"{sign}{whole:,}"
