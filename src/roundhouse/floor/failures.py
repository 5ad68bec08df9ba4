"""Kinds of failed commits, and the refusals of commands that the writer of a table does not decide."""

from enum import StrEnum

from roundhouse.journal.entry import Answer, Seq
from roundhouse.journal.store import CommitInDoubt, JournalDamaged, JournalUnavailable, TicketIsTaken
from roundhouse.table.commands import AnyCommand
from roundhouse.table.refusals import Refusal


class CommitFailure(StrEnum):
    """The kind of error that a commit raised. It determines what the writer does with the batch."""

    NOT_WRITTEN = "not_written"
    """``JournalUnavailable``: nothing is written. The batch is FAILED, and its commands are refused."""
    IN_DOUBT = "in_doubt"
    """``CommitInDoubt``: the batch is IN_DOUBT, and its commands are refused."""
    TICKET_TAKEN = "ticket_taken"
    """``TicketIsTaken``: another table redeemed a ticket of the batch first, and nothing is written. The batch is
    decided and committed again."""
    RAISED = "raised"
    """``JournalDamaged``, or an interrupt such as Ctrl-C: the batch is IN_DOUBT, its commands are refused, and the
    error is raised to the caller. The table of a server then refuses every command until the server is restarted."""
    BUG = "bug"
    """Any other exception: the batch is IN_DOUBT, and the table stops."""


def failure_of(error: BaseException) -> CommitFailure:
    """Return the kind of an error that a commit raised."""
    match error:
        case CommitInDoubt():
            return CommitFailure.IN_DOUBT
        case JournalUnavailable():
            return CommitFailure.NOT_WRITTEN
        case TicketIsTaken():
            return CommitFailure.TICKET_TAKEN
        case JournalDamaged():
            return CommitFailure.RAISED
        case Exception():
            return CommitFailure.BUG
        case _:
            return CommitFailure.RAISED


def unavailable(command: AnyCommand, reason: str) -> Answer:
    """Return the refusal of a command whose batch failed or is in doubt."""
    return Answer(command.id, False, refusal=Refusal.JOURNAL_UNAVAILABLE, reason=reason)


def stopped(command: AnyCommand, version: Seq, reason: str) -> Answer:
    """Return the refusal of a command to a table that has stopped after a bug."""
    return Answer(command.id, False, version, refusal=Refusal.TABLE_IS_STOPPED, reason=reason)


def outdated(command: AnyCommand, version: Seq) -> Answer:
    """Return the refusal of a command that is based on an outdated state."""
    reason = "the table has changed since the state that the command is based on"
    return Answer(command.id, False, version, refusal=Refusal.STATE_HAS_CHANGED, reason=reason)


def id_is_used(command: AnyCommand) -> Answer:
    """Return the refusal of a command with the id of an earlier, different command."""
    return Answer(command.id, False, refusal=Refusal.ID_IS_USED, reason="another request used this id")
