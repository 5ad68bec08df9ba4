"""What people get for a mistake: one line, and exit status 2."""

from pathlib import Path

import apsw
import pytest

from tests.support.command_line import Calling
from tests.support.forgery import make_database, make_empty, make_missing, make_other_format, make_text
from tests.support.journals import ROULETTE


def make_empty_folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("command", ["report", "export", "backup", "restore"])
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (make_missing, "No such file"),
        (make_empty_folder, "has no journal 'house.db'"),
        (make_empty, "is no journal"),
        (make_text, "is no journal"),
        (make_database, "no journal of Roundhouse"),
        (make_other_format, "is of format 3; this reads 2"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_file_that_is_no_journal(tmp_path: Path, call: Calling, command: str, make: object, words: str) -> None:
    path = tmp_path / "thing"
    assert callable(make)
    make(path)
    target = [str(tmp_path / "target")] if command in ("backup", "restore") else []
    assert words in call.refused(command, str(path), *target)
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["report", "--from", "yesterday"], "'yesterday' is no day"),
        (["report", "--from", "2026-02-30"], "'2026-02-30' is no day"),
        (["report", "--to", "20261116"], "is no day; write it like"),
        (["report", "--from", "2026-11-16", "--to", "2026-11-15"], "would end before it begins"),
        (["report", "--to", "9999-12-31"], "in no calendar"),
        (["report", "--zone", "Singapore City"], "there is no time zone 'Singapore City'"),
        (["report", "--zone", "../../etc/passwd"], "there is no time zone"),
        (["report", "--zone", ""], "there is no time zone"),
        (["report", "--shifts", "6:00"], "'6:00' is no beginning of a shift"),
        (["report", "--shifts", "24:00"], "'24:00' is no beginning"),
        (["report", "--shifts", ""], "is no beginning of a shift"),
        (["report", "--shifts", "14:00,06:00"], "in the order of the day"),
        (["report", "--shifts", "06:00,06:00"], "named once each"),
        (["report", "--by", "hour"], "'hour' is not one of"),
        (["report", "--table", "bar"], "no table 'bar'; it has roulette-1, sands-1"),
        (["report", "--csv", "--json"], "choose --csv or --json"),
        (["report", "--json", "-o", "/nowhere/x"], "Could not write"),
        (["export", "--table", "bar"], "no table 'bar'"),
        (["export", "--since", "5"], "--since is for --what events"),
        (["export", "--what", "events", "--since", "5"], "with --table"),
        (["export", "--what", "events", "--since", "sands-1"], "is no position"),
        (["export", "--what", "events", "--since", "sands-1=3,sands-1=4"], "is no position"),
        (["export", "--what", "events", "--since", "sands-1=-3"], "is no position"),
        (["export", "--what", "events", "--since", "sands-1=14"], "has 13 entries, the position is after entry 14"),
        (["export", "--what", "events", "--since", "bar=1"], "'bar' has 0 entries"),
        (["export", "--what", "events", "--table", ROULETTE, "--since", "55"], "has 54 entries"),
        (["export", "--large-win-cents", "0"], "is not in the range"),
        (["backup", "/nowhere/backup"], "no folder '/nowhere'"),
        (["backup", "/"], "is a folder"),
        (["restore", "/dev/null"], "is no folder"),
        (["restore", "new", "--key", "/nowhere/key"], "cannot read the key"),
        (["restore", "new", "--key", "/dev/null"], "is not the key of a journal: 0 bytes"),
    ],
)
def test_a_question_without_an_answer(
    day: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Calling, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in call.refused(arguments[0], str(day), *arguments[1:])
    assert list(tmp_path.iterdir()) == []


def test_a_journal_whose_key_is_gone(copy: Path, tmp_path: Path, call: Calling) -> None:
    (tmp_path / "copy.db.key").unlink()
    assert "--without-key leaves it out" in call.refused("backup", str(copy), str(tmp_path / "b"))
    (tmp_path / "copy.db.key").write_bytes(b"short")
    assert "5 bytes, not 32" in call.refused("backup", str(copy), str(tmp_path / "b"))


def test_an_entry_of_a_newer_kind_is_named(copy: Path, call: Calling) -> None:
    db = apsw.Connection(str(copy))
    values = (ROULETTE, 55, b'{"entry":"request.v9","seq":55,"facts":{"at":1700000016751}}', bytes(32))
    db.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", values)
    db.close()
    for command in (["report"], ["export"], ["export", "--what", "events"]):
        status, out, err = call(command[0], str(copy), *command[1:])
        assert (status, err) == (1, "")
        assert "the entry cannot be read" in out


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "is no list"), (b"once upon a time", "is no list"), (b"\xff", "cannot read")]
)
def test_a_manifest_that_is_none(tmp_path: Path, call: Calling, content: bytes, words: str) -> None:
    (tmp_path / "list").write_bytes(content)
    assert words in call.refused("selfcheck", "--manifest", str(tmp_path / "list"))
    assert "cannot read" in call.refused("selfcheck", "--manifest", str(tmp_path / "none"))
