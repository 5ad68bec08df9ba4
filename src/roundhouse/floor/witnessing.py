"""Opens the notary of a journal, and compares the heads of the journal with what its witnesses have seen.

A head below what a witness has seen, or beside it, is refused before a table opens. A witness that cannot be reached is
reported, and the house runs.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct, field

from roundhouse.floor.logs import JournalLogs, recorded_keys
from roundhouse.floor.notary import Notary, Report, describe
from roundhouse.floor.witnesses import NONE, Contradiction, Refusal, Reply, WitnessLine, client_for
from roundhouse.journal.entry import Seq
from roundhouse.journal.signing import EPOCHS, open_signer
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalUnavailable
from roundhouse.journal.tree import StoredCheckpoint, checkpoints, journal_id
from roundhouse.people.names import HOUSE_CHAIN
from roundhouse.rules.errors import UserError
from roundhouse.table.names import TableId
from roundhouse.tlog.checkpoint import open_checkpoint
from roundhouse.tlog.note import NotANote, NotSigned
from roundhouse.witness.answer import Status
from roundhouse.witness.heads import NotedHead
from roundhouse.witness.keys import KeyUnusable
from roundhouse.witness.local import LocalWitness
from roundhouse.witness.memory import MemoryUnusable

_ROLLED_BACK = (
    "the journal '{path}' was set back to an older state: {what}. Nothing was opened, because tickets could be paid"
    " twice. Put the newest journal back. If it is lost, restore a backup with 'roundhouse house restore', which begins"
    " a new epoch and lists the tickets in dispute"
)
_FORKED = (
    "the journal '{path}' was forked: {what}. Two houses may have run from one journal, or the file was rewritten."
    " Nothing was opened. Keep the file, and put back the journal that the witness knows"
)
_OTHER_KEY = (
    "the journal '{path}' has another signing key than the witness expects: {what}. Nothing was opened, because the"
    " journal and its key may be from before the key was replaced. Put the newest ones back. If a backup was restored"
    " on purpose, let the witness trust its key with 'roundhouse witness trust FOLDER {path}.pub'"
)
_EXCHANGED = (
    "the journal '{path}' was exchanged: the witness {place} knows another journal at this path, and has never seen"
    " this one. Put the old journal back, or move this one to a new data folder"
)


_TEXTS = {Contradiction.ROLLED_BACK: _ROLLED_BACK, Contradiction.OTHER_KEY: _OTHER_KEY}
"""Messages by the kind of the refusals, the gravest first. Other refusals mean a fork."""
_OWN = "of the file's own checkpoint"
_MAX_NAMED = 2
"""How many chains a message names."""


class WitnessRefuses(UserError):
    """A witness contradicts the journal. The message says what to do."""


class LostSpan(Struct, frozen=True):
    """The entries that a restored journal has lost, as far as the witnesses know."""

    known: bool
    """Whether a witness knew the journal before it was restored, and all witnesses have answered."""
    witnessed: dict[TableId, int]
    """Number of entries that a witness had seen, of each chain that is shorter now."""


class Findings(Struct):
    """The findings of the check at opening."""

    unwitnessed: dict[TableId, tuple[int, int]] = field(default_factory=dict)
    """First and last entry of each chain that no witness had seen, although it knew the chain."""
    problems: list[str] = field(default_factory=list)
    lost: LostSpan | None = None
    """The lost entries, if the journal was restored from a backup."""

    def sentences(self) -> list[str]:
        """Describe the findings for people."""
        spans = [f"{first} to {last} of {chain}" for chain, (first, last) in sorted(self.unwitnessed.items())]
        if not spans:
            return self.problems
        return [*self.problems, f"no witness had seen these entries before this start: {', '.join(spans)}"]


def open_notary(
    store: SqliteStore, key_file: Path | None, places: Sequence[str], base: Path, report: Report
) -> tuple[Notary, Findings]:
    """Open the signing key and the witnesses of a journal, and check its heads. The notary is not started yet.

    Raises ``WitnessRefuses`` or ``JournalUnavailable``.
    """
    stored = checkpoints(store)
    recorded = [one.key for one in recorded_keys(store)]
    last = recorded[-1] if recorded else ""
    signer = open_signer(store.path, key_file, journal_id(store), is_signed=bool(stored or recorded), recorded=last)
    logs = JournalLogs(store, signer)
    _check_stored(store, logs, stored)
    lines = [
        WitnessLine(client_for(place, base, logs.name), logs, stored)
        for place in dict.fromkeys(places)
        if place != NONE
    ]
    notary = Notary(logs, lines, report)
    try:
        findings = _check(store, logs, lines, notary, stored)
    except BaseException:
        for line in lines:
            line.client.close()
        raise
    notary.follow(store)
    return notary, findings


def _check_stored(store: SqliteStore, logs: JournalLogs, stored: Iterable[StoredCheckpoint]) -> None:
    """Compare the journal with the checkpoints in it, which the house has signed."""
    for one in stored:
        origin = logs.origin(one.chain)
        try:
            checkpoint, _ = open_checkpoint(one.note, *(key.named(origin) for key in logs.keys))
        except (NotANote, NotSigned) as error:
            raise JournalUnavailable(
                f"the signing key did not sign the checkpoint of chain {one.chain}: {error}; restore the right key"
            ) from error
        if checkpoint.origin != origin:
            raise JournalUnavailable(f"the checkpoint of chain {one.chain} belongs to '{checkpoint.origin}'")
        if (size := store.head(one.chain).seq) < checkpoint.size:
            refusal = Refusal(Contradiction.ROLLED_BACK, one.chain, size, checkpoint.size, _OWN)
            raise _refused(store.path, [refusal])
        if logs.root(one.chain, checkpoint.size) != checkpoint.root:
            logs.recompute(one.chain)
            if logs.root(one.chain, checkpoint.size) != checkpoint.root:
                refusal = Refusal(Contradiction.FORKED, one.chain, size, checkpoint.size, _OWN)
                raise _refused(store.path, [refusal])


def _check(
    store: SqliteStore,
    logs: JournalLogs,
    lines: Sequence[WitnessLine],
    notary: Notary,
    stored: Sequence[StoredCheckpoint],
) -> Findings:
    findings = Findings()
    for line in lines:
        if isinstance(line.client, LocalWitness):
            _check_local(store, logs, line.client, findings)
    if logs.epoch:
        findings.lost = _lost_span(logs, lines)
    heads = [logs.sign_epochs(), *logs.sign_heads(logs.chains())]
    notary.keep(StoredCheckpoint(head.chain, "", head.size, str(head.note)) for head in heads if head.chain != EPOCHS)
    noted = [_noted_heads(line.client) for line in lines if isinstance(line.client, LocalWitness)]
    seen: dict[TableId, int] = {}
    for line in lines:
        reply = line.submit(heads, logs.recompute)
        if reply.refusals:
            raise _refused(store.path, reply.refusals)
        if reply.problem:
            findings.problems.append(reply.problem)
            line.problem = reply.problem
        findings.problems += _forgotten(line, reply, stored)
        notary.keep(one for one in reply.cosigned if one.chain != EPOCHS)
        for chain, size in reply.before.items():
            seen[chain] = max(seen.get(chain, 0), size)
    for head in heads:
        known = max([seen.get(head.chain, 0), *(heads[head.chain].seq for heads in noted if head.chain in heads)])
        if seen.get(EPOCHS) and head.chain != EPOCHS and known < head.size and head.chain in seen:
            findings.unwitnessed[head.chain] = (known + 1, head.size)
    return findings


def _forgotten(line: WitnessLine, reply: Reply, stored: Iterable[StoredCheckpoint]) -> list[str]:
    """Report a witness that has seen less than it has cosigned. It could not have found a roll-back."""
    place = line.client.place
    if any(one.signer == place and reply.before.get(one.chain, one.size) < one.size for one in stored):
        return [f"the witness {place} has lost its memory, or was set back: it has cosigned more than it remembers"]
    return []


def _noted_heads(client: LocalWitness) -> dict[str, NotedHead]:
    try:
        return client.heads.read()
    except OSError:
        # ``_check_local`` has reported it.
        return {}


def _check_local(store: SqliteStore, logs: JournalLogs, client: LocalWitness, findings: Findings) -> None:
    """Compare with what only a local witness knows: the newest heads, and the journal at this path."""
    try:
        client.introduce(logs.key)
        known, path = client.journal_at(store.path), store.path
        has_tables = any(store.head(chain).seq for chain in logs.chains() if chain != HOUSE_CHAIN)
        if known not in (None, logs.name) and has_tables and not client.knows():
            raise WitnessRefuses(_EXCHANGED.format(path=path, place=client.place))
        for name, noted in client.heads.read().items():
            chain = TableId(name)
            if noted.epoch > logs.epoch:
                what = f"the witness {client.place} has seen epoch {noted.epoch}, the journal is in epoch {logs.epoch}"
                raise WitnessRefuses(_ROLLED_BACK.format(path=path, what=what))
            if noted.epoch < logs.epoch:
                continue
            row, size = store.row(chain, Seq(noted.seq)), store.head(chain).seq
            if row is None:
                refusal = Refusal(Contradiction.ROLLED_BACK, chain, size, noted.seq, client.place)
                raise _refused(path, [refusal])
            if row.hash != noted.hash:
                raise _refused(path, [Refusal(Contradiction.FORKED, chain, size, noted.seq, client.place)])
        client.note_journal_at(path)
    except (MemoryUnusable, KeyUnusable, OSError) as error:
        findings.problems.append(f"the witness {client.place} cannot be used: {error}")


def _refused(path: Path, refusals: Sequence[Refusal]) -> WitnessRefuses:
    kinds = {one.kind for one in refusals}
    sentences = [*dict.fromkeys(map(_describe, refusals))]
    more = len(sentences) - _MAX_NAMED
    what = "; ".join(sentences[:_MAX_NAMED]) + (f"; and {more} more" if more > 0 else "")
    text = next((text for kind, text in _TEXTS.items() if kind in kinds), _FORKED)
    return WitnessRefuses(text.format(path=path, what=what))


def _describe(refusal: Refusal) -> str:
    if refusal.chain != EPOCHS or refusal.kind is Contradiction.OTHER_KEY:
        return describe(refusal)
    if refusal.kind is Contradiction.ROLLED_BACK:
        return f"it is in epoch {refusal.size - 1}, but the witness {refusal.place} has seen epoch {refusal.seen - 1}"
    return (
        f"the witness {refusal.place} has seen another restoration in epoch {refusal.size - 1}; if its journal is lost,"
        " too, let the witness forget it with 'roundhouse witness forget'"
    )


def _lost_span(logs: JournalLogs, lines: Sequence[WitnessLine]) -> LostSpan:
    """Ask the witnesses how far the epoch before the last restoration went."""
    _, restored = logs.restored[-1]
    before, known = logs.epoch - 1, False
    witnessed: dict[TableId, int] = {}
    heads = [logs.sign_at(chain, size, before) for chain, size in restored.heads.items() if size]
    answered = True
    for line in lines:
        # A witness that knows the log answers the old size 0 with the size that it has seen, and remembers nothing.
        answers = line.client.submit([logs.request(head, 0) for head in heads])
        for head, answer in zip(heads, answers, strict=True):
            answered = answered and answer.status is not Status.UNREACHABLE
            if answer.status is Status.CONFLICT and answer.size is not None:
                known = True
                if answer.size > head.size:
                    witnessed[head.chain] = max(witnessed.get(head.chain, 0), answer.size)
        if isinstance(line.client, LocalWitness):
            for name, noted in _noted_heads(line.client).items():
                size = restored.heads.get(TableId(name), 0)
                if noted.epoch == before and noted.seq > size:
                    known = True
                    witnessed[TableId(name)] = max(witnessed.get(TableId(name), 0), noted.seq)
    return LostSpan(known and answered, witnessed)
