"""The notary of ``roundhouse deal``: it signs the heads of the journal and hands them to the witnesses."""

from collections.abc import Callable, Sequence
from pathlib import Path

from roundhouse.floor.disputes import has_disputes
from roundhouse.floor.logs import restorations
from roundhouse.floor.notary import Notary
from roundhouse.floor.witnesses import NONE
from roundhouse.floor.witnessing import open_notary
from roundhouse.journal.signing import SigningKeyMissing
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.rules.errors import UserError


class CannotDeal(UserError):
    """The table cannot be opened. The message explains why."""


class DealNotary:
    """The notary of the journal that ``deal`` writes. Its messages go to standard error.

    Without a witness a script may run on a copy of a journal that lacks the signing key.
    """

    def __init__(self, witnesses: Sequence[str], complain: Callable[[str], None]) -> None:
        self._witnesses, self._complain = witnesses, complain
        self._notary: Notary | None = None

    def open(self, store: SqliteStore) -> None:
        try:
            self._notary, findings = open_notary(store, None, self._witnesses, Path(), self._complain)
        except SigningKeyMissing as missing:
            if set(self._witnesses) != {NONE}:
                raise
            if restorations(store):
                raise
            self._complain(f"{missing}. Until then its checkpoints are not signed")
            return
        lost = findings.lost
        if has_disputes(store) or (lost is not None and (lost.witnessed or not lost.known)):
            self.close()
            raise CannotDeal(f"'{store.path}' was restored, and its tickets are in dispute; 'house serve' opens it")
        for sentence in findings.sentences():
            self._complain(sentence)

    def start(self) -> None:
        if self._notary is not None:
            self._notary.start()

    def close(self) -> None:
        if self._notary is not None:
            self._notary.close()
            self._notary = None
