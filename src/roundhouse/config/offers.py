"""The packages that the house offers at a terminal, by the names in ``house.toml``.

A name is the id of a package, such as ``tiers``, or of a group of packages, such as ``neighbours``.
"""

from collections.abc import Iterable

from roundhouse.rules.names import PackageId
from roundhouse.rules.packages import Terminal


def _group(package: PackageId) -> str:
    """Return the group in the id of a package: ``neighbours`` for ``neighbours:17:2``."""
    return package.partition(":")[0]


def offer_names(terminal: Terminal) -> tuple[str, ...]:
    """List the names by which ``offers`` may name the packages of a terminal."""
    return tuple(dict.fromkeys(_group(package.id) for package in terminal.packages))


def unknown_offers(terminal: Terminal, names: Iterable[str]) -> list[str]:
    known = {package.id for package in terminal.packages} | set(offer_names(terminal))
    return [name for name in names if name not in known]


def offered_packages(terminal: Terminal, names: Iterable[str]) -> tuple[PackageId, ...]:
    """Return the ids of the packages that these names offer, in the order of the rulebook."""
    given = frozenset(names)
    return tuple(one.id for one in terminal.packages if one.id in given or _group(one.id) in given)
