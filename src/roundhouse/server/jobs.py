"""What takes long, in a process of its own: capsules, reports, exports. Nobody at a table waits for a thread of it.

Run as ``python -m roundhouse.server.jobs`` with one question on standard input. It only reads the journal.
"""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from roundhouse.audit.capsule import encode_capsule, make_capsule
from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.journal_file import JournalFile
from roundhouse.journal.seal import read_key
from roundhouse.office.export import Export, MetersRow
from roundhouse.office.report import ReportQuery, report
from roundhouse.office.significant_events import Significant
from roundhouse.rules.errors import UserError
from roundhouse.table.names import RoundNumber, TableId

MAX_SECONDS = 300.0
_MISTAKE, _DOES_NOT_HOLD = 2, 3


class CapsuleJob(Struct, frozen=True, tag="capsule"):
    journal: str
    table: TableId
    round: RoundNumber


class ReportJob(Struct, frozen=True, tag="report"):
    journal: str
    question: ReportQuery


class MetersJob(Struct, frozen=True, tag="meters"):
    journal: str
    table: TableId | None = None


class EventsJob(Struct, frozen=True, tag="events"):
    journal: str
    table: TableId | None = None
    since: str | None = None


class Meters(Struct, frozen=True):
    meters: list[MetersRow]


class SignificantEvents(Struct, frozen=True):
    events: list[Significant]
    next: str
    """To be given as ``since`` the next time: what has been added by then, once each."""


Job = CapsuleJob | ReportJob | MetersJob | EventsJob


class JournalNotVerified(Exception):
    """The journal does not hold, so nothing is said from it."""


async def run_job(wanted: Job) -> bytes:
    """The answer as JSON. Raises ``Mistake`` with the words of it, or ``Unproven``."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        __name__,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(MAX_SECONDS):
            answer, words = await process.communicate(msgspec.json.encode(wanted))
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    match process.returncode:
        case 0:
            return answer
        case code if code == _MISTAKE:
            raise UserError(words.decode(errors="replace").strip())
        case code if code == _DOES_NOT_HOLD:
            raise JournalNotVerified
        case code:
            raise RuntimeError(f"a process ended with {code}")


def _answer(wanted: Job) -> bytes:
    match wanted:
        case CapsuleJob():
            return _capsule(wanted)
        case ReportJob():
            return msgspec.json.encode(report(Path(wanted.journal), wanted.question))
        case MetersJob():
            with Export(Path(wanted.journal), wanted.table) as export:
                return msgspec.json.encode(Meters(list(export.meters())))
        case EventsJob():
            with Export(Path(wanted.journal), wanted.table) as export:
                found = SignificantEvents(list(export.events(wanted.since)), export.position(wanted.since))
                return msgspec.json.encode(found)


def _capsule(wanted: CapsuleJob) -> bytes:
    journal = Path(wanted.journal)
    file = JournalFile(journal)
    try:
        return encode_capsule(make_capsule(file, wanted.table, wanted.round, read_key(journal)))
    finally:
        file.close()


def main(read: Callable[[], bytes] = sys.stdin.buffer.read) -> int:
    try:
        answer = _answer(msgspec.json.decode(read(), type=Job))
    except UserError as mistake:
        sys.stderr.write(str(mistake))
        return _MISTAKE
    except DoesNotHold:
        return _DOES_NOT_HOLD
    sys.stdout.buffer.write(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
