"""Checks of the section ``[cage]`` of ``house.toml``."""

from roundhouse.cage.names import DRAWER_NAME, MAX_CASH, CageTerms
from roundhouse.config.schema import CageConfig
from roundhouse.rules.checks import duplicates
from roundhouse.rules.errors import Faults

_AMOUNTS = ("second_person_from", "maximum", "report_from", "variance_from")


def check_cage(cage: CageConfig, faults: Faults) -> None:
    for name in _AMOUNTS:
        if not 0 <= getattr(cage, name) <= MAX_CASH:
            remedy = f"write an amount in cents from 0 to {MAX_CASH}"
            faults.add(f"cage.{name}", f"{getattr(cage, name)} is out of range", remedy)
    if not cage.drawers:
        faults.add("cage.drawers", "no drawer", 'write the names of the drawers, such as ["cage-1"]')
    for i, drawer in enumerate(cage.drawers):
        if not DRAWER_NAME.fullmatch(drawer):
            remedy = "write 1 to 40 letters, digits, dots, dashes or underscores"
            faults.add(f"cage.drawers[{i}]", f"'{drawer}' is not a name of a drawer", remedy)
    for twice in duplicates(cage.drawers):
        faults.add("cage.drawers", f"drawer '{twice}' is listed twice", "give every drawer a different name")
    if cage.maximum and cage.second_person_from > cage.maximum:
        remedy = "write an amount up to cage.maximum, or 0 for no such bound"
        faults.add("cage.second_person_from", "no amount needs approval, because larger ones are refused", remedy)


def terms_of_cage(cage: CageConfig, currency: str) -> CageTerms:
    """Return the terms that the cage's chain records at a start."""
    return CageTerms(
        cage.drawers,
        currency,
        cage.second_person_from,
        cage.maximum,
        cage.report_from,
        cage.variance_from,
        cage.barred_list,
    )
