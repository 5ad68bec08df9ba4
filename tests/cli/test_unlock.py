"""``roundhouse house staff unlock`` on a running house, through its local socket."""

import os
import socket
import stat
from pathlib import Path

import httpx

from tests.cli.test_serve import serving, write_config
from tests.support.command_line import Calling

SECRET = b"correct horse battery\n"
BODY = {"name": "anna", "password": "correct horse battery"}


def test_a_lock_is_lifted_on_the_running_house(call: Calling, tmp_path: Path) -> None:
    folder = tmp_path / ("long-name-" * 12)
    folder.mkdir()
    data = folder / "data"
    for name in ("anna", "bert"):
        assert call("staff", "add", name, "--position", "pit_manager", "--data", str(data), stdin=SECRET)[0] == 0
    assert call("staff", "lock", "anna", "--data", str(data))[0] == 0
    with serving(write_config(folder, wheel="none")) as (process, address):
        path = data / "house.sock"
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        assert httpx.post(address + "/api/log-in", json=BODY).status_code == 401
        assert "no_such_person" in call.refused("staff", "unlock", "carl", "--data", str(data))
        assert call("staff", "unlock", "anna", "--data", str(data)) == (
            0,
            "anna is unlocked in the running house\n",
            "",
        )
        assert httpx.post(address + "/api/log-in", json=BODY).status_code == 200
        assert "not_locked" in call.refused("staff", "unlock", "anna", "--data", str(data))
        assert _raw(path, b"nonsense\n").startswith(b'{"refusal":"not_understood"')
        assert _raw(path, b"x" * 10_000) == b""
        assert process.stop() == 0
    assert not path.exists()
    assert call("staff", "lock", "anna", "--data", str(data))[0] == 0
    assert call("staff", "unlock", "anna", "--data", str(data)) == (0, "anna is unlocked\n", "")


def test_a_socket_that_a_killed_house_left_is_replaced(call: Calling, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert call("staff", "add", "anna", "--position", "pit_manager", "--data", str(data), stdin=SECRET)[0] == 0
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(data / "house.sock"))
    assert call("staff", "lock", "anna", "--data", str(data))[0] == 0
    with serving(write_config(tmp_path, wheel="none")) as (process, _):
        assert "running" in call("staff", "unlock", "anna", "--data", str(data))[1]
        assert process.stop() == 0


def _raw(path: Path, line: bytes) -> bytes:
    directory = os.open(path.parent, os.O_PATH)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(f"/proc/self/fd/{directory}/{path.name}")
            connection.sendall(line)
            return connection.recv(4096)
    except ConnectionError:
        return b""
    finally:
        os.close(directory)
