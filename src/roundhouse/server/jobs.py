"""Runs slow jobs (capsules, reports, exports, backups) in a worker process, so that they never delay a table.

The worker is ``python -m roundhouse.server.jobs`` with the job as JSON on standard input. It only reads the journal.
"""

import asyncio
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import msgspec
from msgspec import Struct

from roundhouse.audit.capsule import encode_capsule, make_capsule
from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.journal_file import JournalFile
from roundhouse.journal.entry import Seq
from roundhouse.journal.seal import read_key
from roundhouse.office.backup import back_up, backup_name, prune
from roundhouse.office.cage_records import cage_report
from roundhouse.office.export import Export, MetersRow
from roundhouse.office.gaming_days import Calendar
from roundhouse.office.movements import MovementsQuery, movements
from roundhouse.office.records import Records
from roundhouse.office.report import ReportQuery, report
from roundhouse.office.round_rows import RoundsQuery
from roundhouse.office.rounds import rounds
from roundhouse.office.significant_events import Significant
from roundhouse.office.ticket_rounds import find_ticket
from roundhouse.rules.errors import UserError
from roundhouse.table.names import Millis, RoundNumber, TableId, TicketNumber

TIMEOUT_SECONDS = 300.0
_USER_ERROR, _NOT_VERIFIED = 2, 3
"""Exit statuses of the worker."""


class CapsuleJob(Struct, frozen=True, tag="capsule"):
    journal: str
    table: TableId
    round: RoundNumber


class ReportJob(Struct, frozen=True, tag="report"):
    journal: str
    question: ReportQuery


class RoundsJob(Struct, frozen=True, tag="rounds"):
    journal: str
    query: RoundsQuery
    zone: str
    shifts: str
    """Start times of the shifts, separated by commas."""


class MovementsJob(Struct, frozen=True, tag="movements"):
    journal: str
    query: MovementsQuery
    zone: str
    shifts: str


class TicketJob(Struct, frozen=True, tag="ticket"):
    journal: str
    number: TicketNumber


class MetersJob(Struct, frozen=True, tag="meters"):
    journal: str
    table: TableId | None = None


class EventsJob(Struct, frozen=True, tag="events"):
    journal: str
    table: TableId | None = None
    since: str | None = None


class BackupJob(Struct, frozen=True, tag="backup"):
    journal: str
    folder: str
    """Folder to which the copy is written, under a name with the time."""
    at: Millis
    keep: int
    """Number of backups to keep in the folder, including the new one."""


class Meters(Struct, frozen=True):
    meters: list[MetersRow]


class SignificantEvents(Struct, frozen=True):
    events: list[Significant]
    next: str
    """Pass this as ``since`` to the next request, which then returns only newer events."""


class CageJob(Struct, frozen=True, tag="cage"):
    journal: str
    zone: str
    shifts: str
    first: date | None = None
    last: date | None = None


class TicketFound(Struct, frozen=True):
    """The place of a ticket. ``GET /api/rounds`` takes all three as ``ticket``, ``table`` and ``entry``."""

    ticket: str
    """Last four digits of the ticket."""
    table: TableId
    entry: Seq
    """Entry that issued the ticket."""


Job = CapsuleJob | ReportJob | CageJob | RoundsJob | MovementsJob | TicketJob | MetersJob | EventsJob | BackupJob


class JournalNotVerified(Exception):
    """The journal does not verify, so the job has no result."""


async def run_job(job: Job, timeout_seconds: float = TIMEOUT_SECONDS) -> bytes:
    """Run a job in a worker process and return its result as JSON.

    Raises ``UserError`` with the worker's message, ``JournalNotVerified``, or ``TimeoutError``.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        __name__,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(timeout_seconds):
            result, message = await process.communicate(msgspec.json.encode(job))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    match process.returncode:
        case 0:
            return result
        case code if code == _USER_ERROR:
            raise UserError(message.decode(errors="replace").strip())
        case code if code == _NOT_VERIFIED:
            raise JournalNotVerified
        case code:
            raise RuntimeError(f"the worker process of a {type(job).__name__} failed with exit status {code}")


def _result(job: Job) -> bytes:
    match job:
        case CapsuleJob():
            return _capsule(job)
        case ReportJob():
            return msgspec.json.encode(report(Path(job.journal), job.question))
        case CageJob():
            calendar = Calendar(job.zone, job.shifts)
            return msgspec.json.encode(cage_report(Path(job.journal), calendar, job.first, job.last))
        case RoundsJob():
            return msgspec.json.encode(rounds(Path(job.journal), job.query, job.zone, job.shifts))
        case MovementsJob():
            return msgspec.json.encode(movements(Path(job.journal), job.query, job.zone, job.shifts))
        case TicketJob():
            return _ticket(job)
        case MetersJob():
            with Export(Path(job.journal), job.table) as export:
                return msgspec.json.encode(Meters(list(export.meters())))
        case EventsJob():
            with Export(Path(job.journal), job.table) as export:
                found = SignificantEvents(list(export.events(job.since)), export.position(job.since))
                return msgspec.json.encode(found)
        case BackupJob():
            return _back_up(job)


def _ticket(job: TicketJob) -> bytes:
    records = Records(Path(job.journal))
    try:
        place = find_ticket(records, job.number, read_key(records.path))
    finally:
        records.close()
    return msgspec.json.encode(TicketFound(place.id[-4:], place.table, place.seq))


def _back_up(job: BackupJob) -> bytes:
    folder = Path(job.folder)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    copied = back_up(Path(job.journal), folder / backup_name(job.at))
    prune(folder, job.keep)
    return msgspec.json.encode(copied)


def _capsule(job: CapsuleJob) -> bytes:
    journal = Path(job.journal)
    file = JournalFile(journal)
    try:
        return encode_capsule(make_capsule(file, job.table, job.round, read_key(journal)))
    finally:
        file.close()


def main(read: Callable[[], bytes] = sys.stdin.buffer.read) -> int:
    try:
        result = _result(msgspec.json.decode(read(), type=Job))
    except UserError as error:
        sys.stderr.write(str(error))
        return _USER_ERROR
    except OSError as error:
        sys.stderr.write(f"Could not write {error.filename or 'a file'}: {error.strerror or error}")
        return _USER_ERROR
    except DoesNotHold:
        return _NOT_VERIFIED
    sys.stdout.buffer.write(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
