"""What people are told of a copy that was made: its tables, how far they go, its key, and the one danger."""

from roundhouse.cli.output import console, plain, show_table
from roundhouse.office.backup import WARNING, Copied
from roundhouse.office.shifts import Calendar
from roundhouse.proof.telling import dollars

_NO_KEY = "It has no key: it can be verified and read, but no house can run from it until its key is put beside it."


def tell_copy(done: str, copied: Copied) -> None:
    out, calendar = console(), Calendar()
    out.print(f"[bold]{plain(copied.path)}[/bold]: {done} and verified, {copied.bytes:,} bytes.")
    rows = [
        (
            head.table,
            f"{head.entries:,}",
            calendar.written(head.at) if head.at is not None else "–",
            copied.phases.get(head.table, "–"),
            head.hash,
        )
        for head in copied.tables
    ]
    show_table("Tables", ["table", "version", "last instant", "phase", "head"], rows, right=["version"])
    out.print(f"tickets outstanding: {copied.tickets_outstanding}, worth {dollars(copied.tickets_outstanding_cents)}")
    out.print(plain(f"its key: {copied.key}") if copied.key else _NO_KEY)
    for note in copied.notes:
        out.print(plain(f"Note: {note}"))
    out.print(WARNING)
