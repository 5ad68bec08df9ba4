"""A position that has no bounds has those of the next lower position."""

from roundhouse.rules.names import StaffPosition as P
from roundhouse.table.terms import MoneyBound, bound_of
from tests.table.test_authority import BOUNDS


def test_a_higher_position_has_the_bound_of_the_next_lower_one() -> None:
    assert bound_of(BOUNDS, P.CASINO_MANAGER) == BOUNDS[P.DEALER]
    assert bound_of({}, P.DEALER) == MoneyBound()
    assert bound_of(BOUNDS, P.CASHIER) == BOUNDS[P.CASHIER]
