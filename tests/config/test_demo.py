"""Staff of the demo house: created at the first start, unchanged later, never added to a house with real money."""

import stat
import subprocess
from pathlib import Path

import httpx
import pytest

from roundhouse.cli.play import FILE, PEOPLE, Member, create_staff
from roundhouse.config.demo import demo_configuration
from roundhouse.floor.opening import CannotOpen, open_store
from tests.support.houses import PASSWORD
from tests.support.processes import ROUNDHOUSE, free_port, house_events, played, post, verifies

pytestmark = pytest.mark.usefixtures("quick_passwords")
TABLE = "rws-double-zero"


def by_name(folder: Path) -> dict[str, tuple[str, str]]:
    lines = (folder / FILE).read_text(encoding="utf-8").splitlines()
    return {row[0]: (row[2], row[1]) for line in lines if not line.startswith("#") and (row := line.split())}


def test_all_demo_staff_can_log_in_and_no_log_contains_a_password(tmp_path: Path) -> None:
    folder = tmp_path / "house"
    with played(folder, forked=False) as (process, address):
        people = by_name(folder)
        assert {(name, position) for name, (position, _) in people.items()} == {(one[0], one[2]) for one in PEOPLE}
        assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
        for name, (position, password) in people.items():
            console = {"console": TABLE} if position in ("dealer", "cashier") else {}
            answer = post(address, "/api/log-in", {"name": name, "password": password, "program": True, **console})
            assert (answer["me"]["kind"], bool(answer["token"])) == ("person", True), answer
        assert process.stop() == 0
    output = process.text + process.errors.read_text() + (folder / "play.log").read_text()
    assert f"{address}/console/?table={TABLE}" in output
    assert str(folder / FILE) in output
    assert not any(password in output for _, password in people.values())
    assert people == by_name(folder)
    verifies(folder)


def test_demo_staff_are_created_once_and_missing_people_are_added(tmp_path: Path) -> None:
    first = create_staff(demo_configuration(tmp_path))
    assert [member.person for member in first] == [person for person, _, _ in PEOPLE]
    assert len({member.password for member in first}) == len(first)
    assert create_staff(demo_configuration(tmp_path)) == first
    assert len(house_events(tmp_path, "person_added")) == len(first)
    # Simulate an interruption: the password file is written, but no person is added yet.
    other = tmp_path / "other"
    other.mkdir()
    (other / FILE).write_text((tmp_path / FILE).read_text(encoding="utf-8"), encoding="utf-8")
    assert create_staff(demo_configuration(other)) == first
    assert len(house_events(other, "person_added")) == len(first)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"dee\nmax a b c\n", b"mallory else-1234-5678 casino_manager\n"])
def test_an_edited_password_file_creates_no_staff(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    create_staff(demo_configuration(tmp_path))
    assert house_events(tmp_path, "person_added") == []


def test_a_house_with_staff_gets_no_demo_staff(tmp_path: Path) -> None:
    open_store(tmp_path / "house.db")[0].close()
    add = (*ROUNDHOUSE, "staff", "add", "mei", "--position", "casino_manager", "--config", str(tmp_path))
    subprocess.run(add, input=PASSWORD, text=True, check=True, capture_output=True)
    assert create_staff(demo_configuration(tmp_path)) == []
    assert not (tmp_path / FILE).exists()
    assert [event["person"] for event in house_events(tmp_path, "person_added")] == ["mei"]


def test_a_house_with_real_money_gets_no_demo_staff(tmp_path: Path) -> None:
    config = tmp_path / "house.toml"
    subprocess.run((*ROUNDHOUSE, "init", str(tmp_path)), check=True, capture_output=True)
    serve = (*ROUNDHOUSE, "serve", "--config", str(config), "--for", "0.1", "--grace", "0")
    config.write_text(config.read_text(encoding="utf-8").replace("8080", str(free_port())), encoding="utf-8")
    assert subprocess.run(serve, capture_output=True, timeout=60, check=False).returncode == 0
    with pytest.raises(CannotOpen, match="real money"):
        create_staff(demo_configuration(tmp_path / "data"))
    assert not (tmp_path / "data" / FILE).exists()
    assert house_events(tmp_path / "data", "person_added") == []


def test_the_demo_staff_can_propose_and_approve_a_correction(tmp_path: Path) -> None:
    """One person proposes a change of a settled round and another person approves it."""
    members = {member.position: member for member in create_staff(demo_configuration(tmp_path))}
    assert isinstance(members["pit_manager"], Member)
    with played(tmp_path) as (process, address):
        tokens = {}
        for position in ("pit_manager", "pit_supervisor"):
            log_in = {"name": members[position].person, "password": members[position].password, "program": True}
            tokens[position] = {"authorization": f"Bearer {post(address, '/api/log-in', log_in)['token']}"}
        round = 0
        while not round:
            found = httpx.get(f"{address}/api/tables/{TABLE}/rounds?count=1").json()["rounds"]
            round = found[0]["round"] if found and found[0]["outcome"] else 0
        outcome = "1" if found[0]["outcome"] != "1" else "2"
        request = {"id": "c1", "do": "correct_result", "round": round, "outcome": outcome, "reason": "seen on the tape"}
        proposed = httpx.post(
            f"{address}/api/tables/{TABLE}/requests", json=request, headers=tokens["pit_manager"], timeout=30
        )
        assert proposed.status_code == 202, proposed.text
        approve = f"{address}/api/proposals/{proposed.json()['proposal']}/approve"
        assert httpx.post(approve, headers=tokens["pit_manager"]).status_code == 403
        done = httpx.post(approve, headers=tokens["pit_supervisor"], timeout=30)
        assert done.status_code == 200, done.text
        assert process.stop() == 0


def test_a_house_with_a_missing_journal_is_not_created_again(tmp_path: Path) -> None:
    create_staff(demo_configuration(tmp_path))
    journal = demo_configuration(tmp_path).journal
    for lose in (journal.unlink, lambda: journal.write_bytes(b"")):
        lose()
        with pytest.raises(CannotOpen, match="but its key exists: put it back or restore a backup"):
            create_staff(demo_configuration(tmp_path))
