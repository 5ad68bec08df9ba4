"""Describes the events of the desk in English: disputes, paused seats, the Dealer of record and the float.

Journals do not contain these texts, but the stories of rounds do. Names of staff are left out for one seat.
"""

from typing import assert_never

from roundhouse.audit.evidence_wording import Description, Reader
from roundhouse.table import events as e
from roundhouse.table.apply_desk import DeskEvent
from roundhouse.table.names import Contested

_ABOUT = {
    Contested.OUTCOME: "the outcome",
    Contested.PAYMENT: "a payment",
    Contested.BET: "a bet",
    Contested.DISPLAY: "a display",
    Contested.OTHER: "another matter",
}


def describe_desk(event: DeskEvent, reader: Reader) -> Description:
    match event:
        case e.Disputed(dispute, round, seat, about):
            words = f": “{event.words}”" if event.words else ""
            found = f"{reader.amount(event.staked)} staked, {reader.amount(event.returned)} returned"
            text = f"seat {seat} contests round {round} (dispute {dispute}, {_ABOUT[about]}){words}; on record: {found}"
            return text, (event.clause,)
        case e.DisputeClosed(dispute, round, seat, reason):
            by = reader.person(event.by, event.who, event.second)
            paid = f" and {reader.amount(event.paid)} of goodwill is paid to seat {seat}" if event.paid else ""
            return f"{by} closes dispute {dispute} about round {round}{paid}: “{reason}”", (event.clause,)
        case e.DisplayQuestioned(words, round):
            where = f" in round {round}" if round else ""
            return f"a display is in question{where}: “{words}”", ()
        case e.SeatPaused(seat, reason):
            return f"seat {seat} is paused and takes no new bets: “{reason}”", ()
        case e.SeatResumed(seat):
            return f"seat {seat} takes bets again", ()
        case e.DealerChanged():
            return _dealer(event, reader), ()
        case e.FloatCounted(count, cents, expected, variance):
            given = f"{reader.amount(expected)} is due"
            return (
                f"the {count} of the float is {reader.amount(cents)}; {given}, variance {_signed(variance, reader)}",
                (),
            )
        case e.FloatFilled(cents):
            return f"the float is filled with {reader.amount(cents)}", ()
        case e.FloatCredited(cents):
            return f"{reader.amount(cents)} of the float is returned to the cage", ()
        case e.DropTaken(cents):
            return f"the drop of {reader.amount(cents)} is removed", ()
        case _:
            assert_never(event)


def _signed(cents: int, reader: Reader) -> str:
    """Format an amount with its sign."""
    return f"-{reader.amount(-cents)}" if cents < 0 else reader.amount(cents)


def _dealer(event: e.DealerChanged, reader: Reader) -> str:
    if reader.seat is not None:
        return "the Dealer of record changes"
    was = f" after {event.was}" if event.was else ""
    reason = f", because “{event.reason}”" if event.reason else ""
    if event.dealer is None:
        return f"{event.was} is no longer the Dealer of record{reason}"
    return f"{event.dealer} is the Dealer of record{was}{reason}"
