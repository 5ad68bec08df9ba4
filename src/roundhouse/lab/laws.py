"""Which law of a session to ask: exact or fast, on a lattice of equal steps or on the few sums that can come."""

from typing import Final

from roundhouse.lab import sparse
from roundhouse.lab.distribution import Distribution, lattice_of
from roundhouse.lab.session import ExactLaw, FastLaw, Law, TooLarge, bits, check_rounds, points

_QUICK_BITS: Final = 1_500_000_000
_MOST_BITS: Final = 6_000_000_000
_MOST_POINTS: Final = 1 << 24
_MOST_SUMS_COUNTED: Final = 1_000_000


def session(one_round: Distribution, rounds: int) -> Law:
    """The exact distribution where it is quickly counted, else the fast one."""
    return _counted(one_round, check_rounds(rounds), _QUICK_BITS) or fast_law(one_round, rounds)


def exact_law(one_round: Distribution, rounds: int) -> Law:
    law = _counted(one_round, check_rounds(rounds), _MOST_BITS)
    if law is None:
        lattice = lattice_of(one_round)
        results, gigabytes = sparse.about(rounds * lattice.width + 1), bits(lattice, rounds) / 8e9
        raise TooLarge(
            f"{rounds} rounds of this slip have {results} results, and to count them exactly takes {gigabytes:,.1f} GB "
            "of digits; use the fast method, fewer rounds, or stakes with a larger common divisor"
        )
    return law


def fast_law(one_round: Distribution, rounds: int) -> FastLaw | sparse.SparseLaw:
    size = points(one_round, check_rounds(rounds))
    if size <= _MOST_POINTS:
        return FastLaw(one_round, rounds)
    try:
        return sparse.SparseLaw(one_round, rounds)
    except TooLarge as refused:
        most = f"{sparse.MOST_SUMS:,} sums or {_MOST_POINTS:,} steps"
        raise TooLarge(
            f"{refused}, and {sparse.about(size)} steps lie between the lowest and the highest of them; the most are "
            f"{most}: use fewer rounds, fewer bets, or stakes with a larger common divisor"
        ) from refused


def _counted(one_round: Distribution, rounds: int, most: float) -> Law | None:
    if bits(lattice_of(one_round), rounds) <= most:
        return ExactLaw(one_round, rounds)
    if sparse.bits(one_round, rounds) <= most and sparse.sums(one_round, rounds) <= _MOST_SUMS_COUNTED:
        return sparse.SparseExactLaw(one_round, rounds)
    return None
