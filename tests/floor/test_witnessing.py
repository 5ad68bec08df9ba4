"""Opening a journal against its witnesses: roll-backs, forks, lost commits, restorations and unreachable witnesses."""

import random
import shutil
from pathlib import Path

import apsw
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from proofbundle import checkpoint as oracle

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.origin import Origin, TrustedKeys
from roundhouse.audit.verify import verify_journal
from roundhouse.floor.logs import JournalLogs
from roundhouse.floor.notary import Notary
from roundhouse.floor.witnesses import NONE
from roundhouse.floor.witnessing import Findings, WitnessRefuses, open_notary
from roundhouse.journal.seal import read_key
from roundhouse.journal.signing import public_key_beside, public_path, signing_path
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalUnavailable
from roundhouse.journal.tree import checkpoints
from roundhouse.office.backup import back_up, restore
from roundhouse.tlog.note import Ed25519Signer, VerifierKey
from roundhouse.witness.keys import create_signer
from roundhouse.witness.local import LocalWitness
from tests.support.deal_process import Deal
from tests.support.forgery import edit, query, rechain
from tests.support.journals import ROULETTE, JournalHouse, seat
from tests.support.soak import Counted, Tally, times

PARTS, ATTACKS = times(2, 20), 50
GAME = "rws-double-zero"
SALE = {"by": "cashier", "do": "buy_credits", "seat": "a", "cents": 100}


class WitnessedHouse(JournalHouse):
    """A table whose journal has a witness in a folder."""

    def __init__(self, path: Path, *places: str, requests_before: int = 0) -> None:
        super().__init__(path, requests_before=requests_before)
        self.reports: list[str] = []
        self.notary: Notary | None = None
        assert isinstance(self.store, SqliteStore)
        try:
            witnesses = places or (str(path.parent.parent / "witness"),)
            self.notary, self.findings = open_notary(self.store, None, witnesses, Path(), self.reports.append)
        except BaseException:
            self.store.close()
            raise
        self.open(ROULETTE, GAME)
        self.notary.start()

    def close(self) -> None:
        assert self.notary is not None
        self.notary.close()
        super().close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data" / "house.db"


def play(path: Path, *places: str, sales: int = 3, first: int = 0) -> Findings:
    """Open the journal, sell credits three times and close it."""
    house = WitnessedHouse(path, *places, requests_before=first)
    if not house.writers[ROULETTE].version:
        house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1_000_000))
    for _ in range(sales):
        house.do(ROULETTE, SALE)
    house.close()
    return house.findings


def files(path: Path) -> dict[str, bytes]:
    return {found.name: found.read_bytes() for found in path.parent.iterdir()}


def put_back(path: Path, content: dict[str, bytes]) -> None:
    for found in path.parent.iterdir():
        found.unlink()
    for name, kept in content.items():
        (path.parent / name).write_bytes(kept)


def test_a_journal_that_only_grows_is_opened_again(path: Path) -> None:
    for number in range(4):
        findings = play(path, first=10 * number)
        assert findings.sentences() == []


def test_a_journal_set_back_is_refused_and_the_message_says_what_to_do(path: Path) -> None:
    play(path)
    older = files(path)
    play(path, first=10)
    newest = files(path)
    put_back(path, older)
    with pytest.raises(WitnessRefuses, match=r"set back to an older state.*roundhouse house restore"):
        play(path)
    put_back(path, newest)
    play(path, first=20)


@pytest.mark.parametrize("part", range(PARTS))
def test_no_copy_of_an_older_or_forked_journal_is_opened(path: Path, part: int, tally: Tally) -> None:
    """Random points of the history, as copied files, with and without another continuation."""
    chance = random.Random(3 + part)
    copies = []
    for number in range(8):
        play(path, sales=chance.randint(1, 4), first=10 * number)
        copies.append(files(path))
    newest = copies.pop()
    for number in range(ATTACKS):
        put_back(path, chance.choice(copies))
        forked = chance.random() < 0.5
        if forked:
            # Another house, without the witness, continues the old copy beyond the length that the witness has seen.
            play(path, NONE, sales=chance.randint(1, 40), first=10_000 + 100 * number)
        with pytest.raises(WitnessRefuses, match=r"set back|forked"):
            play(path)
        tally.add(Counted.FORKED if forked else Counted.ROLLED_BACK)
    put_back(path, newest)
    play(path, first=1000)


def test_a_rewritten_entry_is_refused_although_its_chain_is_right(path: Path) -> None:
    play(path)
    body = query(path, "SELECT body FROM entries WHERE table_id = ? AND seq = 3", ROULETTE)[0][0]
    edit(
        path,
        "UPDATE entries SET body = ? WHERE table_id = ? AND seq = 3",
        body.replace(b"1000000", b"9000000"),
        ROULETTE,
    )
    rechain(path, ROULETTE)
    edit(path, "DELETE FROM checkpoints")
    edit(path, "UPDATE seals SET seal = seal")
    store = SqliteStore(path)
    try:
        with pytest.raises(WitnessRefuses, match="forked"):
            open_notary(store, None, [str(path.parent.parent / "witness")], Path(), print)
    finally:
        store.close()


def test_the_checkpoints_in_the_file_refuse_a_roll_back_without_any_witness(path: Path) -> None:
    play(path, NONE)
    edit(path, "DELETE FROM entries WHERE table_id = ? AND seq = (SELECT max(seq) FROM entries)", ROULETTE)
    store = SqliteStore(path)
    try:
        with pytest.raises(WitnessRefuses, match="own checkpoint"):
            open_notary(store, None, [NONE], Path(), print)
    finally:
        store.close()


def test_a_new_folder_and_a_new_journal_are_no_roll_back(path: Path, tmp_path: Path) -> None:
    play(path)
    (tmp_path / "other").mkdir()
    assert play(tmp_path / "other" / "house.db").sentences() == []
    for found in path.parent.iterdir():
        found.unlink()
    assert play(path).sentences() == []


def test_another_journal_at_the_path_of_a_known_one_is_refused(path: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    stranger = tmp_path / "other" / "house.db"
    play(stranger, NONE)
    play(path)
    put_back(path, files(stranger))
    with pytest.raises(WitnessRefuses, match="exchanged"):
        play(path)


def test_entries_that_no_witness_has_seen_are_reported(path: Path) -> None:
    play(path)
    house = JournalHouse(path, requests_before=10)
    house.open(ROULETTE, GAME)
    size = house.writers[ROULETTE].version
    house.do(ROULETTE, SALE, SALE)
    house.close()
    findings = play(path, first=20)
    first, last = findings.unwitnessed[ROULETTE]
    assert (first, last) == (size, size + 2) or (first, last) == (size + 1, size + 2)
    assert findings.sentences() == [
        f"no witness had seen these entries before this start: {first} to {last} of {ROULETTE}"
    ]


def test_an_unreachable_witness_is_reported_and_the_table_runs(path: Path, tmp_path: Path) -> None:
    findings = play(path, "http://127.0.0.1:9")
    assert "cannot be reached" in findings.sentences()[0]
    (tmp_path / "blocked").write_text("a file, not a folder")
    findings = play(path, str(tmp_path / "blocked"), first=10)
    assert any("cannot be" in sentence for sentence in findings.sentences())


def test_a_commit_that_was_acknowledged_just_before_a_kill_is_missed(path: Path, tmp_path: Path) -> None:
    """The file alone cannot tell a damaged last commit from an unfinished one. The witness can."""
    place = str(tmp_path / "witness")
    deal = Deal(path, GAME, "--witness", place)
    opening = [{"id": "1", "by": "dealer", "do": "open_table", "limits": {"seat": {"min": 1, "max": 1000000}}}]
    assert deal.ask(*opening)[0]["ok"]
    before = path.with_name(f"{path.name}-wal").stat().st_size
    assert deal.ask({"id": "2", "by": "dealer", "do": "open_bets"})[0]["ok"]
    heads = list((tmp_path / "witness" / "heads").iterdir())
    wanted = f"{GAME} 0 2 ".encode()
    while not any(wanted in found.read_bytes() for found in heads) and not _seen(tmp_path / "witness", 2):
        pass
    deal.kill()
    whole = files(path)
    # The log ends within the commit, without the checkpoint that may follow it. Without the heads file beside the
    # journal, which an attacker can remove, only the witness knows.
    altered = {**whole, f"{path.name}-wal": whole[f"{path.name}-wal"][: before + 100]}
    altered.pop(f"{path.name}.heads", None)
    put_back(path, altered)
    again = Deal(path, GAME, "--witness", place)
    assert again.ready["ready"] is False
    assert "has seen entry 2" in again.ready["reason"]
    again.kill()
    put_back(path, whole)
    again = Deal(path, GAME, "--witness", place)
    assert again.ready["ready"] is True
    again.kill()


def _seen(folder: Path, size: int) -> bool:
    from roundhouse.witness.witness import Witness

    witness = Witness(folder)
    try:
        return any(one.size >= size and one.origin.endswith(GAME) for one in witness.memory.logs())
    finally:
        witness.close()


def test_another_implementation_accepts_every_checkpoint_of_a_journal(path: Path, tmp_path: Path) -> None:
    play(path)
    key = public_key_beside(path)
    assert key is not None
    witness_key = (tmp_path / "witness" / "witness.pub").read_text().strip()
    store = SqliteStore(path)
    try:
        stored = checkpoints(store)
        assert {one.signer for one in stored} == {"", str(tmp_path / "witness")}
        for one in stored:
            origin = one.note.split("\n")[0]
            vkey = str(key.named(origin))
            assert oracle.verify_checkpoint(one.note, vkey)["ok"]
            if one.signer:
                verdict = oracle.verify_witnessed_checkpoint(one.note, vkey, [witness_key], threshold=1)
                assert verdict["ok"], verdict
    finally:
        store.close()


def test_a_missing_or_wrong_signing_key_is_refused(path: Path) -> None:
    play(path)
    kept = signing_path(path).read_bytes()
    signing_path(path).unlink()
    with pytest.raises(JournalUnavailable, match=r"signing key.*is missing"):
        play(path)
    create_signer(signing_path(path))
    with pytest.raises(JournalUnavailable, match="did not sign"):
        play(path)
    signing_path(path).write_bytes(kept)
    play(path, first=10)
    assert public_path(path).exists()


def test_a_restored_backup_begins_an_epoch_and_the_lost_entries_are_known(path: Path, tmp_path: Path) -> None:
    play(path)
    back_up(path, tmp_path / "backup.db")
    play(path, first=10)
    lost = files(path)
    shutil.rmtree(path.parent)
    restore(tmp_path / "backup.db", path.parent)
    findings = play(path, first=100)
    assert findings.lost is not None
    assert findings.lost.known
    assert findings.lost.witnessed[ROULETTE] > 0
    restored = files(path)
    play(path, first=200)
    # Neither the journal from before the restoration nor a second restoration of the same backup is opened now.
    put_back(path, lost)
    with pytest.raises(WitnessRefuses, match=r"epoch 0, but the witness .* has seen epoch 1"):
        play(path)
    shutil.rmtree(path.parent)
    restore(tmp_path / "backup.db", path.parent)
    with pytest.raises(WitnessRefuses, match="another restoration"):
        play(path)
    put_back(path, restored)
    with pytest.raises(WitnessRefuses, match="set back"):
        play(path)


def test_a_backup_of_the_last_entry_has_lost_nothing(path: Path, tmp_path: Path) -> None:
    play(path)
    back_up(path, tmp_path / "backup.db")
    shutil.rmtree(path.parent)
    restore(tmp_path / "backup.db", path.parent)
    findings = play(path, first=100)
    assert findings.lost is not None
    assert (findings.lost.known, findings.lost.witnessed) == (True, {})


def test_a_damaged_hash_of_the_tree_is_computed_again(path: Path) -> None:
    play(path, sales=300)
    edit(path, "UPDATE tree SET hash = zeroblob(32)")
    assert play(path, first=1000).sentences() == []
    store = SqliteStore(path)
    try:
        logs = JournalLogs(store, create_signer(path.with_name("other.pem")))
        assert logs.root(ROULETTE, 256) != bytes(32)
    finally:
        store.close()


def test_verify_compares_checkpoints_and_tree_with_the_entries(path: Path, tmp_path: Path) -> None:
    play(path, sales=300)
    key, whole = read_key(path), path.read_bytes()
    assert verify_journal(path, key).origin is Origin.KNOWN
    (tmp_path / "other").mkdir()
    play(tmp_path / "other" / "house.db", sales=300)
    note = query(tmp_path / "other" / "house.db", "SELECT note FROM checkpoints WHERE table_id = ?", ROULETTE)[0][0]
    mine = query(path, "SELECT note FROM checkpoints WHERE table_id = ? AND signer = ''", ROULETTE)[0][0]
    root = mine.split("\n")[2]
    alterations = {
        "a stored hash of the tree differs": ("UPDATE tree SET hash = zeroblob(32)", ()),
        "a signed checkpoint does not fit the entries": (
            "UPDATE checkpoints SET note = replace(note, ?, ?)",
            (root, "A" * 43 + "="),
        ),
        "a signed checkpoint covers entries that the journal lacks": ("UPDATE checkpoints SET size = size + 1", ()),
        "the tree has hashes of missing entries": ("UPDATE tree SET number = number + 1", ()),
        "a checkpoint cannot be read": ("UPDATE checkpoints SET note = ''", ()),
        "the journal does not have one id": ("DELETE FROM journal", ()),
        "a checkpoint belongs to another log": (
            "UPDATE checkpoints SET note = replace(note, ?, ?)",
            (mine.split("\n")[0], note.split("\n")[0]),
        ),
    }
    for what, (sql, values) in alterations.items():
        edit(path, sql, *values)
        with pytest.raises(DoesNotHold, match=what):
            verify_journal(path, key)
        path.write_bytes(whole)
    # Without the secret key, a public key that the house never had is refused, too.
    stranger = Ed25519Signer(Ed25519PrivateKey.generate())
    public = public_key_beside(path)
    assert public is not None
    forged = TrustedKeys(VerifierKey(public.name, stranger.public))
    with pytest.raises(DoesNotHold, match="has not signed"):
        verify_journal(path, None, keys=forged)
    assert verify_journal(path, None, keys=TrustedKeys(public)).origin is Origin.KNOWN
    # An entry that was added without a signature is of unknown origin.
    house = JournalHouse(path, requests_before=1000)
    house.open(ROULETTE, GAME)
    house.do(ROULETTE, SALE)
    house.close()
    summary = verify_journal(path, None, keys=TrustedKeys(public))
    assert summary.origin is Origin.UNKNOWN
    assert "are not signed" in summary.notes[0]


def test_the_notary_reports_a_witness_that_refuses_while_the_table_runs(path: Path, tmp_path: Path) -> None:
    house = WitnessedHouse(path)
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1_000_000))
    assert house.notary is not None
    assert house.notary.flush(30)
    assert house.reports == []
    (line,) = house.notary.lines
    assert isinstance(line.client, LocalWitness)
    # Another house has continued the journal, by the same key.
    memory = apsw.Connection(str(tmp_path / "witness" / "memory.db"))
    memory.execute("UPDATE logs SET size = size + 50 WHERE origin LIKE '%roulette-1'")
    memory.close()
    house.do(ROULETTE, SALE)
    assert house.notary.flush(30)
    assert any("has seen entry" in report for report in house.reports)
    house.close()
