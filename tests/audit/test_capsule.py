"""A capsule holds one round in one file. It verifies without the journal, and a change of any byte is detected."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse.audit.capsule import Capsule, encode_capsule, make_capsule, read
from roundhouse.audit.capsule_check import verify_capsule
from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.journal_file import JournalFile
from roundhouse.journal.seal import key_path, read_key
from roundhouse.table.names import RoundNumber, TableId
from tests.support.command_line import Calling
from tests.support.forgery import edit, flipped
from tests.support.journals import ROULETTE, SANDS, JournalHouse, bets, seat, spin

ROUNDS = [(ROULETTE, 1, "17"), (ROULETTE, 2, "9"), (ROULETTE, 3, None), (ROULETTE, 4, None), (ROULETTE, 5, "36")]
ROUNDS += [(SANDS, 1, None), (SANDS, 2, None)]


def capsule_of(day: Path, table: TableId, number: int) -> Capsule:
    file = JournalFile(day)
    try:
        return make_capsule(file, table, RoundNumber(number), read_key(day))
    finally:
        file.close()


@pytest.mark.parametrize(("table", "number", "outcome"), ROUNDS)
def test_every_round_verifies_without_the_journal(
    day: Path, tmp_path: Path, call: Calling, table: TableId, number: int, outcome: str | None
) -> None:
    path = tmp_path / "capsule.json"
    assert call("capsule", str(day), "--table", table, "--round", str(number), "-o", str(path))[0] == 0
    summary = call.json("verify", str(path), "--key", str(key_path(day)))
    assert (summary["verifies"], summary["seals_checked"]) == (True, True)
    assert (summary["table"], summary["round"], summary["outcome"]) == (table, number, outcome)
    assert summary["over"] is ((table, number) != (SANDS, 2))
    status, out, _ = call("verify", str(path))
    assert (status, "Consistent, origin unknown" in out) == (3, True)
    # The capsule's head is in the journal's chain. Standard output and a file receive the same bytes.
    assert call("verify", str(day), "--noted", summary["head"])[0] == 0
    _, out, _ = call("capsule", str(day), "--table", table, "--round", str(number))
    assert out.encode() == path.read_bytes()


def test_a_capsule_of_a_corrected_round_includes_the_state_before_the_correction(day: Path) -> None:
    capsule = capsule_of(day, ROULETTE, 2)
    assert [part.entries[0].seq for part in capsule.parts] == [20, 32]
    assert capsule.parts[0].state.seats[next(iter(capsule.parts[0].state.seats))].cashed_out == 0
    record = capsule.parts[1].records[RoundNumber(2)]
    assert record is not None
    assert record.outcome == "8"


def test_a_change_of_any_byte_makes_a_capsule_unreadable(day: Path) -> None:
    content = encode_capsule(capsule_of(day, SANDS, 1))
    assert encode_capsule(read(content)) == content
    for at in range(len(content)):
        with pytest.raises(DoesNotHold):
            read(flipped(content, at, at % 7))
    for spoiled in (content + b" ", content + b"\n", b" " + content, content[:-1], content.replace(b":1,", b": 1,", 1)):
        with pytest.raises(DoesNotHold):
            read(spoiled)


def forge(capsule: Capsule, part: int, line: int, **changes: Any) -> Capsule:
    """Return a capsule with a changed event whose hash chain and digest are recomputed to match."""
    raw = msgspec.json.decode(msgspec.json.encode(capsule))
    entries = raw["parts"][part]["entries"]
    body = msgspec.json.decode(entries[line]["body"])
    body["events"][-1].update(changes)
    entries[line]["body"] = msgspec.json.encode(body).decode()
    hash = bytes.fromhex(raw["parts"][part]["before"])
    for entry in entries:
        hash = hashlib.sha256(hash + entry["body"].encode()).digest()
        entry["hash"] = hash.hex()
    return read(encode_capsule(msgspec.json.decode(msgspec.json.encode(raw), type=Capsule)))


def test_a_forged_payout_in_a_consistent_capsule_is_detected(day: Path) -> None:
    capsule = capsule_of(day, ROULETTE, 1)
    with pytest.raises(DoesNotHold, match="not the one that the rules give") as caught:
        verify_capsule(forge(capsule, 0, 13, returned=1), None)
    assert caught.value.discrepancy.entry == 19


def change(capsule: Capsule, **fields: Any) -> Capsule:
    return msgspec.structs.replace(capsule, **fields)


def _under_another_rulebook(capsule: Capsule) -> dict[str, Any]:
    """Return the fields of a capsule with a rulebook that pays more and the matching hash."""
    (text,) = capsule.rulebooks.values()
    dearer = text.replace("pays = 35", "pays = 36")
    hash = hashlib.sha256(dearer.encode()).hexdigest()
    return {
        "rulebooks": {hash: dearer},
        "parts": [msgspec.structs.replace(part, rulebook=hash) for part in capsule.parts],
    }


def test_an_inconsistent_capsule_does_not_verify(day: Path) -> None:
    capsule = capsule_of(day, ROULETTE, 2)
    first, second = capsule.parts
    poorer = msgspec.json.decode(msgspec.json.encode(first.state), type=type(first.state))
    poorer.seats[next(iter(poorer.seats))].credits += 1
    wrong = {
        "empty": change(capsule, parts=[]),
        "not in order": change(capsule, parts=[first, second, second]),
        "does not begin": change(capsule, parts=[second]),
        "does not begin with": change(capsule, round=RoundNumber(3)),
        "rulebook is not in": change(capsule, rulebooks={}),
        "does not match its hash": change(capsule, rulebooks=dict.fromkeys(capsule.rulebooks, "x")),
        "names another rulebook than its starting state": change(capsule, **_under_another_rulebook(capsule)),
        "do not balance": change(capsule, parts=[msgspec.structs.replace(first, state=poorer), second]),
        "continue the chain": change(capsule, parts=[msgspec.structs.replace(first, before="00" * 32), second]),
        "not hexadecimal": change(capsule, parts=[msgspec.structs.replace(first, before="zz"), second]),
        "the round in a later part differs": change(
            capsule, parts=[first, msgspec.structs.replace(second, records={})]
        ),
        "not sealed": change(capsule, parts=[msgspec.structs.replace(first, entries=first.entries[:2]), second]),
    }
    for message, forged in wrong.items():
        with pytest.raises(DoesNotHold, match=message):
            verify_capsule(forged, None)
    with pytest.raises(DoesNotHold, match="seal"):
        verify_capsule(forge(capsule, 0, 1, seat="a"), bytes(32))  # type: ignore[arg-type]


def test_a_journal_that_does_not_verify_yields_no_capsule(copy: Path, call: Calling) -> None:
    edit(copy, "UPDATE entries SET hash = zeroblob(32) WHERE table_id = 'roulette-1' AND seq = 4")
    status, out, err = call("capsule", str(copy), "--table", ROULETTE, "--round", "1")
    assert (status, err) == (1, "")
    assert "does not verify" in out


def test_a_capsule_part_extends_to_the_sealed_entry_of_its_batch(tmp_path: Path) -> None:
    """The round ends in the middle of a batch. Only the last entry of a batch has a seal, so the part includes it."""
    house = JournalHouse(tmp_path / "j")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000))
    house.do(ROULETTE, {"do": "open_bets"}, bets("a", red=10), *spin("1"), {"do": "open_bets"}, bets("a", odd=10))
    house.close()
    capsule = capsule_of(house.path, ROULETTE, 1)
    (part,) = capsule.parts
    assert [line.seq for line in part.entries if line.seal is not None] == [part.entries[-1].seq] == [13]
    proven = verify_capsule(capsule, read_key(house.path))
    assert (proven.outcome, proven.over, proven.seals) == ("1", True, 1)


@pytest.mark.parametrize("name", ["journal.db", "journal.db.key", "journal.db-wal"])
def test_a_capsule_is_never_written_over_a_journal(name: str, tmp_path: Path, call: Calling) -> None:
    house = JournalHouse(tmp_path / "journal.db")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, {"do": "open_bets"}, {"do": "close_bets"})
    house.close()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.suffix != ".lock"}
    status, _, err = call("capsule", str(house.path), "--round", "1", "-o", str(tmp_path / name))
    assert status == 2
    assert "journals are never overwritten" in err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name in before} == before
