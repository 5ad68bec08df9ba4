"""The witnesses of a house: chosen by ``[house] witness``, asked by the notary, and what each has seen."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from roundhouse.floor.logs import JournalLogs, SignedHead
from roundhouse.journal.signing import EPOCHS
from roundhouse.journal.tree import StoredCheckpoint
from roundhouse.table.names import TableId
from roundhouse.tlog.note import KeyName, Note
from roundhouse.witness.answer import Status, WitnessAnswer, WitnessClient
from roundhouse.witness.exchange import FolderExchange
from roundhouse.witness.local import LocalWitness, default_folder
from roundhouse.witness.remote import RemoteWitness

LOCAL: Final = "local"
NONE: Final = "none"
_EXCHANGE: Final = "exchange:"


def client_for(place: str, base: Path, journal: KeyName) -> WitnessClient:
    """Return the witness that ``[house] witness`` names. Paths are relative to ``base``, the folder of house.toml."""
    if place.startswith(("http://", "https://")):
        return RemoteWitness(place)
    if place.startswith(_EXCHANGE):
        return FolderExchange(base / place.removeprefix(_EXCHANGE))
    return LocalWitness(default_folder() if place == LOCAL else base / place, journal)


class Contradiction(StrEnum):
    """Why a witness refuses the head of a chain."""

    ROLLED_BACK = "rolled_back"
    """The witness has seen a longer chain."""
    FORKED = "forked"
    """The witness has seen another chain of this length, or another beginning of it."""
    OTHER_KEY = "other_key"
    """The witness trusts another key of this journal, which no key on record has announced."""


class Refusal(Struct, frozen=True):
    """A head that contradicts what a witness has seen."""

    kind: Contradiction
    chain: TableId
    size: int
    seen: int
    """The size that the witness has seen, or at which it has seen another entry."""
    place: str


class Reply(Struct):
    """The answers of one witness to a set of heads."""

    refusals: list[Refusal] = field(default_factory=list)
    problem: str = ""
    """Why the witness gave no cosignature, although it refused nothing: unreachable, or it does not know the key."""
    cosigned: list[StoredCheckpoint] = field(default_factory=list)
    before: dict[TableId, int] = field(default_factory=dict)
    """The size of each chain that the witness had seen before."""


class WitnessLine:
    """The connection to one witness, and the sizes that it has seen. It is used by one thread at a time."""

    def __init__(self, client: WitnessClient, logs: JournalLogs, stored: Iterable[StoredCheckpoint] = ()) -> None:
        self.client, self._logs = client, logs
        self.seen: dict[TableId, int] = {one.chain: one.size for one in stored if one.signer == client.place}
        """Sizes that the witness has seen, as far as this house knows."""
        self.problem = ""
        self._announced = False
        """Whether the witness was told of all keys of the house."""

    def submit(self, heads: Sequence[SignedHead], recompute: Callable[[TableId], None] | None = None) -> Reply:
        """Submit heads, with proofs from the sizes that the witness has seen.

        ``recompute`` computes a tree again, if its stored hashes do not fit what the witness has seen.
        """
        reply = Reply()
        waiting, tries = list(heads), 0
        while waiting and not reply.problem and tries < 3:
            tries += 1
            olds = [min(self.seen.get(head.chain, 0), head.size) for head in waiting]
            answers = self.client.submit([self._logs.request(head, old) for head, old in zip(waiting, olds)])
            again: list[SignedHead] = []
            for head, old, answer in zip(waiting, olds, answers, strict=True):
                if self._judge(head, old, answer, reply):
                    again.append(head)
            if any(answer.status is Status.NOT_SIGNED for answer in answers):
                # The witness may know an older key. Each key has announced the next one.
                self._announced = True
                for note in self._logs.announcements:
                    self.client.announce(note)
            waiting = again
        if waiting and not reply.problem:
            reply.problem = f"the witness {self.client.place} names another size of the same log at every request"
        forked = [one.chain for one in reply.refusals if one.kind is Contradiction.FORKED and one.chain != EPOCHS]
        if recompute is not None and forked:
            for chain in forked:
                recompute(chain)
            second = self.submit(self._logs.sign_heads(forked))
            if second.problem:
                # The refusals stand, because nothing has disproved them.
                return reply
            reply.refusals = [one for one in reply.refusals if one.chain not in forked] + second.refusals
            reply.cosigned += second.cosigned
        return reply

    def _judge(self, head: SignedHead, old: int, answer: WitnessAnswer, reply: Reply) -> bool:
        """Handle one answer. Return whether the head must be submitted again, with another old size."""
        place = self.client.place
        match answer.status:
            case Status.COSIGNED:
                reply.before.setdefault(head.chain, old)
                self.seen[head.chain] = head.size
                note = Note(head.note.text, (*head.note.signatures, *answer.signatures))
                reply.cosigned.append(StoredCheckpoint(head.chain, place, head.size, str(note)))
            case Status.CONFLICT if answer.size is not None and answer.size > head.size:
                reply.before[head.chain] = answer.size
                refusal = Refusal(Contradiction.ROLLED_BACK, head.chain, head.size, answer.size, place)
                reply.refusals.append(refusal)
            case Status.CONFLICT if answer.size is not None and answer.size != old:
                reply.before[head.chain] = self.seen[head.chain] = answer.size
                return True
            case Status.CONFLICT | Status.INCONSISTENT:
                reply.refusals.append(Refusal(Contradiction.FORKED, head.chain, head.size, old, place))
            case Status.NOT_SIGNED if not self._announced and self._logs.announcements:
                return True
            case Status.NOT_SIGNED:
                reply.refusals.append(Refusal(Contradiction.OTHER_KEY, head.chain, head.size, old, place))
            case Status.UNKNOWN_LOG:
                reply.problem = (
                    f"the witness {place} does not know the key of this house; give it the public key with"
                    f" 'roundhouse witness trust': {self._logs.key}"
                )
            case Status.UNREACHABLE | Status.MALFORMED:
                reply.problem = f"the witness {place} cannot be reached: {answer.reason}"
        return False
