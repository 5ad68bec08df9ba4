"""User errors of report, export, backup and restore: one line on standard error and exit status 2."""

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
    ("make", "message"),
    [
        (make_missing, "No such file"),
        (make_empty_folder, "has no journal 'house.db'"),
        (make_empty, "is neither a journal"),
        (make_text, "is neither a journal"),
        (make_database, "not a journal of Roundhouse"),
        (make_other_format, "has format 99; this version reads 1 to 4"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_file_that_is_not_a_journal_is_refused_in_one_line(
    tmp_path: Path, call: Calling, command: str, make: object, message: str
) -> None:
    path = tmp_path / "thing"
    assert callable(make)
    make(path)
    target = [str(tmp_path / "target")] if command in ("backup", "restore") else []
    assert message in call.refused(command, str(path), *target)
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "--from", "yesterday"], "'yesterday' is not a day"),
        (["report", "--from", "2026-02-30"], "'2026-02-30' is not a day"),
        (["report", "--to", "20261116"], "is not a day; write it like"),
        (["report", "--from", "2026-11-16", "--to", "2026-11-15"], "is after the last day"),
        (["report", "--to", "9999-12-31"], "outside the calendar"),
        (["report", "--zone", "Singapore City"], "there is no time zone 'Singapore City'"),
        (["report", "--zone", "../../etc/passwd"], "there is no time zone"),
        (["report", "--zone", ""], "there is no time zone"),
        (["report", "--shifts", "6:00"], "'6:00' is not the start time of a shift"),
        (["report", "--shifts", "24:00"], "'24:00' is not the start time"),
        (["report", "--shifts", ""], "is not the start time of a shift"),
        (["report", "--shifts", "14:00,06:00"], "in ascending order"),
        (["report", "--shifts", "06:00,06:00"], "must be in ascending order"),
        (["report", "--by", "hour"], "'hour' is not one of"),
        (["report", "--table", "bar"], "no table 'bar'; it has roulette-1, sands-1"),
        (["report", "--csv", "--json"], "--csv and --json cannot be combined"),
        (["report", "--json", "-o", "/nowhere/x"], "Could not write"),
        (["export", "--table", "bar"], "no table 'bar'"),
        (["export", "--since", "5"], "--since needs --what events"),
        (["export", "--what", "events", "--since", "5"], "with --table"),
        (["export", "--what", "events", "--since", "sands-1"], "is not a position"),
        (["export", "--what", "events", "--since", "sands-1=3,sands-1=4"], "is not a position"),
        (["export", "--what", "events", "--since", "sands-1=-3"], "is not a position"),
        (["export", "--what", "events", "--since", "sands-1=14"], "has 13 entries, but the position is after entry 14"),
        (["export", "--what", "events", "--since", "bar=1"], "'bar' has 0 entries"),
        (["export", "--what", "events", "--table", ROULETTE, "--since", "57"], "has 56 entries"),
        (["export", "--large-win-cents", "0"], "is not in the range"),
        (["backup", "/nowhere/backup"], "no folder '/nowhere'"),
        (["backup", "/"], "is a folder"),
        (["restore", "/dev/null"], "is not a folder"),
        (["restore", "new", "--key", "/nowhere/key"], "cannot read the key"),
        (["restore", "new", "--key", "/dev/null"], "is not the key of a journal: it has 0 bytes"),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(
    day: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Calling, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in call.refused(arguments[0], str(day), *arguments[1:])
    assert list(tmp_path.iterdir()) == []


def test_a_backup_without_a_usable_key_is_refused(copy: Path, tmp_path: Path, call: Calling) -> None:
    (tmp_path / "copy.db.key").unlink()
    assert "use --without-key" in call.refused("backup", str(copy), str(tmp_path / "b"))
    (tmp_path / "copy.db.key").write_bytes(b"short")
    assert "5 bytes, not 32" in call.refused("backup", str(copy), str(tmp_path / "b"))


def test_an_entry_of_a_newer_kind_is_reported(copy: Path, call: Calling) -> None:
    db = apsw.Connection(str(copy))
    values = (ROULETTE, 57, b'{"entry":"request.v9","seq":57,"facts":{"at":1700000017251}}', bytes(32))
    db.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", values)
    db.close()
    for command in (["report"], ["export"], ["export", "--what", "events"]):
        status, out, err = call(command[0], str(copy), *command[1:])
        assert (status, err) == (1, "")
        assert "the entry cannot be read" in out


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "is not a list"), (b"once upon a time", "is not a list"), (b"\xff", "cannot read")]
)
def test_an_invalid_manifest_is_refused(tmp_path: Path, call: Calling, content: bytes, message: str) -> None:
    (tmp_path / "list").write_bytes(content)
    assert message in call.refused("selfcheck", "--manifest", str(tmp_path / "list"))
    assert "cannot read" in call.refused("selfcheck", "--manifest", str(tmp_path / "none"))
