"""``roundhouse init`` and ``roundhouse staff``, the first commands that an operator's engineer uses."""

import json
from pathlib import Path

import pytest

from roundhouse.config.loading import read
from roundhouse.floor.opening import open_store
from roundhouse.people.events import ActorKind, decode
from roundhouse.people.names import HOUSE_CHAIN
from tests.support.command_line import Calling

SECRET = b"correct horse battery\n"


def test_init_writes_a_valid_configuration_and_never_overwrites_it(call: Calling, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "house"
    status, out, err = call("init", str(folder))
    assert (status, err) == (0, "")
    assert "house.toml" in out
    assert read(folder / "house.toml").plan.tables
    (folder / "house.toml").write_text("mine")
    assert "already exists" in call.refused("init", str(folder))
    assert (folder / "house.toml").read_text() == "mine"


def test_init_without_a_folder_uses_the_current_folder(
    call: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("init")[0] == 0
    assert (tmp_path / "house.toml").is_file()


def test_init_reports_a_folder_that_cannot_be_written(call: Calling, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "Could not write" in call.refused("init", str(tmp_path / "file" / "x"))
    assert "already exists" in call.refused("init", str(tmp_path / "file"))


@pytest.mark.parametrize("naming", [("--config", "house.toml"), ("--config", ""), ("--data", "data")])
def test_staff_commands_add_change_lock_and_list_people(call: Calling, tmp_path: Path, naming: tuple[str, str]) -> None:
    """A house is named by its file, by the folder of the file, or by its data folder as in earlier versions."""
    data = [naming[0], str(tmp_path / naming[1])]
    adding = ("staff", "add", "anna", "--name", "Anna A.", "--position", "dealer", "--position", "pit_supervisor")
    call.refused(*adding, *data, stdin=SECRET)
    assert list(tmp_path.iterdir()) == [], "a folder without a house gets none"
    assert call("init", str(tmp_path))[0] == 0
    assert "has no people yet" in call.refused("staff", "list", *data)
    assert call(*adding, *data, stdin=SECRET) == (0, "added anna as dealer, pit_supervisor\n", "")
    assert "name_is_taken" in call.refused(*adding, *data, stdin=SECRET)
    assert call("staff", "position", "anna", "pit_manager", *data)[0] == 0
    assert call("staff", "lock", "anna", *data)[0] == 0
    anna = {
        "person": "anna",
        "name": "Anna A.",
        "positions": ["pit_manager"],
        "acting": [],
        "locked": "by the engineer",
    }
    assert call.json("staff", "list", *data) == [anna]
    assert call("staff", "unlock", "anna", *data)[0] == 0
    assert "not_locked" in call.refused("staff", "unlock", "anna", *data)
    assert call("staff", "password", "anna", *data, stdin=b"another horse\n")[0] == 0
    assert call("staff", "position", "anna", *data)[1] == "anna has left\n"
    status, out, _ = call("staff", "list", *data)
    assert status == 0
    assert "Anna A." in out
    store, _ = open_store(tmp_path / "data" / "house.db")
    entries = [decode(row.body) for row in store.rows(HOUSE_CHAIN)]
    store.close()
    assert {entry.by.kind for entry in entries} == {ActorKind.ENGINEER}
    assert len(entries) == 7
    assert call("verify", str(tmp_path / "data" / "house.db"))[0] == 0


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["add", "anna", "--position", "dealer"], b"", "no password"),
        (["add", "anna", "--position", "dealer"], b"short\n", "bad_password"),
        (["add", "anna", "--position", "king"], SECRET, "king"),
        (["add", "anna"], SECRET, "--position"),
        (["add", "Anna B", "--position", "dealer"], SECRET, "bad_name"),
        (["add", "anna", "--position", "dealer", "--password", "x"], SECRET, "--password"),
        (["position", "ghost", "dealer"], b"", "no_such_person"),
        (["lock", "ghost"], b"", "no_such_person"),
        (["password", "ghost"], SECRET, "no_such_person"),
    ],
)
def test_invalid_staff_commands_are_refused_without_printing_the_password(
    call: Calling, tmp_path: Path, arguments: list[str], stdin: bytes, message: str
) -> None:
    open_store(tmp_path / "house.db")[0].close()
    err = call.refused("staff", *arguments, "--data", str(tmp_path), stdin=stdin)
    assert message in err
    assert "correct horse" not in err


def test_staff_commands_are_refused_while_the_house_is_running(call: Calling, tmp_path: Path) -> None:
    store, _ = open_store(tmp_path / "house.db")
    assert "in use by another process" in call.refused("staff", "list", "--data", str(tmp_path))
    store.close()


@pytest.mark.parametrize("option", ["--config", "--data"])
def test_a_person_is_not_added_to_a_folder_without_a_house(call: Calling, tmp_path: Path, option: str) -> None:
    (tmp_path / "typo").mkdir()
    adding = ("staff", "add", "anna", "--position", "dealer", option)
    assert "house" in call.refused(*adding, str(tmp_path / "typo"), stdin=SECRET)
    assert "house" in call.refused(*adding, str(tmp_path / "nowhere"), stdin=SECRET)
    assert "--config" in call.refused(*adding[:-1], stdin=SECRET)
    assert [path.name for path in tmp_path.rglob("*")] == ["typo"]


def test_every_command_on_a_house_takes_its_configuration(call: Calling, tmp_path: Path) -> None:
    config, data = str(tmp_path / "house.toml"), tmp_path / "data"
    call("init", str(tmp_path))
    assert "start the house once" in call.refused("report", "--config", config)
    call("staff", "add", "anna", "--position", "auditor", "--config", config, stdin=SECRET)
    (tmp_path / "copies").mkdir()
    for place in (config, str(tmp_path)):
        proven = call.json("verify", "--config", place)
        assert proven["house"]["people"] == 1
        assert call.json("report", "--config", place)["lines"] == []
        assert call("export", "--config", place, "--what", "events")[0] == 0
        assert call("serve", "--check", "--config", place)[0] == 0
    for number, naming in enumerate((["--config", config], [str(tmp_path)], [str(data)], [str(data / "house.db")])):
        assert call("backup", *naming, str(tmp_path / f"copy-{number}"))[0] == 0
    assert "cannot be combined" in call.refused("report", str(data), "--config", config)
    assert "--config" in call.refused("report")


def test_backups_in_a_folder_are_named_by_time_and_pruned(call: Calling, tmp_path: Path) -> None:
    call("init", str(tmp_path))
    call("staff", "add", "anna", "--position", "auditor", "--config", str(tmp_path), stdin=SECRET)
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "house-20010101T000000Z.db").write_bytes(b"old")
    for ending in (".key", ".signing", ".pub"):
        (folder / f"house-20010101T000000Z.db{ending}").write_bytes(b"old")
    (folder / "house-20010102T000000Z.db").write_bytes(b"newer")
    (folder / "notes.db").write_bytes(b"of somebody else")
    status, out, _ = call("backup", "--config", str(tmp_path), str(folder), "--keep", "2")
    assert status == 0
    assert f"removed {folder / 'house-20010101T000000Z.db'}" in out
    (new,) = [path for path in folder.glob("house-2*Z.db") if path.name > "house-2002"]
    assert call("verify", str(new))[0] == 0
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["house-20010102T000000Z.db", new.name, f"{new.name}.key", "notes.db"]
    assert "--keep needs a folder" in call.refused(
        "backup", "--config", str(tmp_path), str(tmp_path / "one"), "--keep", "2"
    )


def test_verify_reports_the_house_chain(call: Calling, tmp_path: Path) -> None:
    open_store(tmp_path / "house.db")[0].close()
    call("staff", "add", "anna", "--position", "auditor", "--data", str(tmp_path), stdin=SECRET)
    proven = call.json("verify", str(tmp_path / "house.db"))
    assert proven["house"]["entries"] == 2
    assert proven["house"]["people"] == 1
    status, out, _ = call("verify", str(tmp_path / "house.db"))
    assert status == 0
    assert proven["house"]["head"] in out
    assert json.dumps(proven)
