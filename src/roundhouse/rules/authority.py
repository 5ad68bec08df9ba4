"""Decides whether the holder of a staff position may act, declare or decide under a rulebook.

A person acts in the position that they are assigned to. The rulebook states whether holders of higher
positions may act in lower ones.
"""

from roundhouse.rules.names import StaffPosition
from roundhouse.rules.rulebook import Authority, Irregularity


def may_act_as(authority: Authority, holder: StaffPosition, office: StaffPosition) -> bool:
    """Return whether a person in the position ``holder`` may act in the position ``office``."""
    if holder == office:
        return True
    return authority.higher_may_act is not None and _is_above(authority, holder, office)


def may_declare(authority: Authority, irregularity: Irregularity, holder: StaffPosition) -> bool:
    named = authority.declares if irregularity.declared_by is None else irregularity.declared_by
    return any(may_act_as(authority, holder, office) for office in named)


def may_decide(authority: Authority, holder: StaffPosition) -> bool:
    """Return whether a person in the position ``holder`` may decide matters that the rules do not cover."""
    decides = authority.decides
    if may_act_as(authority, holder, decides.position):
        return True
    return decides.or_above and _is_above(authority, holder, decides.position)


def _is_above(authority: Authority, holder: StaffPosition, office: StaffPosition) -> bool:
    ladder = authority.ladder
    return holder in ladder and office in ladder and ladder.index(holder) > ladder.index(office)
