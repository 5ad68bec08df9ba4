"""Verifies the journal of a running house once a day, in a worker process with low priority.

Opening a journal checks what money depends on. The daily check replays every entry and compares everything that is
derived from the entries. A discrepancy raises an alert in the pit and is written to the log.
"""

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from roundhouse.audit.journal_file import MISSING_NOTE, UNKNOWN_NOTE
from roundhouse.floor.alerts import AlertQueue
from roundhouse.logs import log

FIRST_SECONDS: Final = 15 * 60.0
"""Time from the start of the house to the first check."""
EVERY_SECONDS: Final = 24 * 3600.0
_NICE: Final = 15
_VERIFIES, _DOES_NOT_VERIFY = 0, 1
"""Exit statuses of ``audit verify``."""
_WORKER: Final = f"import os, runpy; os.nice({_NICE}); runpy.run_module('roundhouse', run_name='__main__')"


class JournalCheck:
    """Runs the checks of one journal."""

    def __init__(self, journal: Path, alerts: AlertQueue) -> None:
        self._journal, self._alerts = journal, alerts

    async def run(self) -> bool:
        """Verify the journal as it is now. Return whether it verifies."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            _WORKER,
            "audit",
            "verify",
            os.fspath(self._journal),
            "--json",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return self._record(process.returncode, out, err)

    def _record(self, status: int | None, out: bytes, err: bytes) -> bool:
        if status == _VERIFIES:
            notes = msgspec.json.decode(out, type=_Verified).notes
            log("journal_check", verifies=True, notes="; ".join(notes))
            for note in warnings_in(notes):
                self._alerts.raise_alert("journal", f"the journal verifies, but it was altered: {note}")
            return True
        if status == _DOES_NOT_VERIFY:
            text = f"the journal does not verify: {_describe(out)}"
        else:
            text = f"the journal could not be verified: {err.decode(errors='replace').strip()[:500] or status}"
        log("journal_check", logging.ERROR, verifies=False, text=text)
        self._alerts.raise_alert("journal", text)
        return False

    async def daily(self, first_seconds: float = FIRST_SECONDS, every_seconds: float = EVERY_SECONDS) -> None:
        await asyncio.sleep(first_seconds)
        while True:
            await self.run()
            await asyncio.sleep(every_seconds)


class _Verified(Struct):
    """The part of the output of ``audit verify --json`` that the check needs."""

    notes: list[str]


def warnings_in(notes: list[str]) -> list[str]:
    """Return the notes of a verification about triggers and other objects that were altered in the file."""
    return [note for note in notes if note.endswith((MISSING_NOTE, UNKNOWN_NOTE))]


def _describe(out: bytes) -> str:
    """Describe the discrepancy that ``audit verify --json`` printed. Values are left out, since they can be secret."""
    try:
        found: dict[str, Any] = msgspec.json.decode(out)
    except msgspec.DecodeError:
        return "the worker gave no result"
    place = [f"table {found['table']}"] if found.get("table") else []
    place += [f"entry {found['entry']}"] if found.get("entry") else []
    return ", ".join([*place, str(found.get("what"))])
