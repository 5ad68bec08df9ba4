"""What the house and the tables refuse, as HTTP says it: the status for each word."""

from typing import Final, TypeVar

from roundhouse.people.refusals import Refusal, Refused
from roundhouse.server.http.asking import Turned
from roundhouse.server.wire.problems import Problem
from roundhouse.table.refusals import Refusal as TableRefusal

_PROBLEMS: Final = {
    Refusal.NOT_LOGGED_IN: Problem.NOT_LOGGED_IN,
    Refusal.WRONG_NAME_OR_PASSWORD: Problem.WRONG_NAME_OR_PASSWORD,
    Refusal.PERSON_IS_LOCKED: Problem.ACCOUNT_IS_LOCKED,
    Refusal.CONSOLE_IS_LOCKED: Problem.CONSOLE_IS_LOCKED,
    **dict.fromkeys(
        (
            Refusal.NO_POSITION,
            Refusal.NOT_AUTHORISED,
            Refusal.OTHER_TABLE,
            Refusal.OTHER_SEAT,
            Refusal.NO_BILL_ACCEPTOR,
            Refusal.NO_GUESTS,
            Refusal.TERMINAL_IS_REVOKED,
            Refusal.SAME_PERSON,
            Refusal.ABOVE_ONESELF,
        ),
        Problem.NOT_AUTHORISED,
    ),
    **dict.fromkeys((one for one in Refusal if one.startswith("no_such_")), Problem.NO_SUCH_THING),
}

_OF_TABLE: Final = {
    TableRefusal.NOT_UNDERSTOOD: Problem.NOT_UNDERSTOOD,
    TableRefusal.NOT_AUTHORISED: Problem.NOT_AUTHORISED,
    TableRefusal.JOURNAL_UNAVAILABLE: Problem.JOURNAL_UNAVAILABLE,
}

Found = TypeVar("Found")


def problem_of(refusal: Refusal) -> Problem:
    return _PROBLEMS.get(refusal, Problem.REFUSED)


def problem_of_table(refusal: TableRefusal) -> Problem:
    return _OF_TABLE.get(refusal, Problem.REFUSED)


def unless_refused(found: Found | Refused) -> Found:
    """What the house gives, or its refusal. It has put on record itself that somebody had no right to it."""
    if isinstance(found, Refused):
        raise Turned(problem_of(found.refusal), found.reason or None, word=found.refusal.value, recorded=True)
    return found
