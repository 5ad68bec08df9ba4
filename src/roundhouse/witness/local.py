"""The witness in a folder of the same machine, which the house itself runs with the code of the witness.

It finds a roll-back, a fork and a lost commit of the data folder. It cannot protect against a person who may write both
folders: for that, a witness must run under another account or on another machine.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from roundhouse.tlog.note import KeyName, Note, VerifierKey
from roundhouse.tlog.request import AddCheckpoint
from roundhouse.witness.answer import Status, WitnessAnswer
from roundhouse.witness.heads import HeadsFile
from roundhouse.witness.keys import KeyUnusable
from roundhouse.witness.memory import MemoryUnusable
from roundhouse.witness.witness import Witness, create_witness


def default_folder() -> Path:
    """Return the folder of this user's witness, by the XDG specification: it holds state, not data."""
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    return base / "roundhouse" / "witness"


class LocalWitness:
    """Creates the witness when it is first used. A fault of its folder is reported as an unreachable witness."""

    def __init__(self, folder: Path, journal: KeyName) -> None:
        """Use the witness in ``folder``. ``journal`` is the name of the house's key."""
        self.folder = folder
        self._journal = journal
        self._witness: Witness | None = None
        self.heads = HeadsFile(folder / "heads" / journal.rpartition("/")[2])

    @property
    def place(self) -> str:
        return str(self.folder)

    def _open(self) -> Witness:
        if self._witness is None:
            create_witness(self.folder)
            self._witness = Witness(self.folder)
        return self._witness

    def introduce(self, key: VerifierKey) -> WitnessAnswer:
        """Let the witness trust the house's key, unless it already trusts another key of this journal."""
        try:
            witness = self._open()
            if not witness.memory.keys(key.name):
                witness.trust(key)
        except (MemoryUnusable, KeyUnusable, OSError) as error:
            return WitnessAnswer(Status.UNREACHABLE, str(error))
        return WitnessAnswer(Status.COSIGNED)

    def journal_at(self, path: Path) -> str | None:
        """Return the name of the journal that was last opened at a path."""
        return self._open().memory.name_at(str(path.resolve()))

    def knows(self) -> bool:
        """Return whether the witness has cosigned a checkpoint of this journal."""
        start = f"{self._journal}/"
        return any(seen.origin.startswith(start) for seen in self._open().memory.logs())

    def note_journal_at(self, path: Path) -> None:
        witness = self._open()
        with witness.memory.changing():
            witness.memory.set_name_at(str(path.resolve()), self._journal)

    def submit(self, requests: Sequence[AddCheckpoint]) -> list[WitnessAnswer]:
        try:
            return self._open().add_all(requests)
        except (MemoryUnusable, KeyUnusable, OSError) as error:
            return [WitnessAnswer(Status.UNREACHABLE, str(error))] * len(requests)

    def announce(self, note: Note) -> WitnessAnswer:
        try:
            return self._open().announce(note)
        except (MemoryUnusable, KeyUnusable, OSError) as error:
            return WitnessAnswer(Status.UNREACHABLE, str(error))

    def close(self) -> None:
        self.heads.close()
        if self._witness is not None:
            self._witness.close()
            self._witness = None
