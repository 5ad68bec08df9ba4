"""The systemd unit that ``roundhouse house unit`` prints, checked by systemd's own tools."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.command_line import Calling

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing; on Debian: apt-get install systemd"
)
MAX_EXPOSURE = 3.0
"""Largest exposure by ``systemd-analyze security``, from 0 (safe) to 10. A unit without hardening has 9.6."""


@pytest.fixture
def unit(call: Calling, tmp_path: Path) -> Path:
    """The unit of a house with a serial wheel, backups and port 443."""
    call("init", str(tmp_path))
    config, file = tmp_path / "house.toml", tmp_path / "roundhouse.service"
    text = config.read_text().replace("port = 8080", "port = 443").replace('wheel = "none"', 'wheel = "/dev/ttyUSB7"')
    config.write_text(text.replace('# [backup]\n# folder = "/mnt/backup/my-house"', '[backup]\nfolder = "/srv/copies"'))
    assert call("house", "unit", "--config", str(config), "--user", "root", "-o", str(file))[0] == 0
    return file


def test_the_unit_names_what_the_house_needs_and_can_be_enabled(unit: Path) -> None:
    text = unit.read_text()
    assert "@" not in re.sub(r"@(system-service|privileged|resources)", "", text), "every placeholder is filled"
    for line in (
        "Type=notify",
        "User=root",
        f"ReadWritePaths={unit.parent / 'data'} /srv/copies",
        "DeviceAllow=/dev/ttyUSB7 rw",
        "SupplementaryGroups=dialout",
        "CapabilityBoundingSet=CAP_NET_BIND_SERVICE",
        "ProtectSystem=strict",
        "StateDirectory=roundhouse",
        "WantedBy=multi-user.target",
    ):
        assert line in text.splitlines(), line
    assert f"--config {unit.parent / 'house.toml'}\n" in text


def test_a_house_without_serial_wheels_and_low_ports_needs_no_group_and_no_capability(
    call: Calling, tmp_path: Path
) -> None:
    call("init", str(tmp_path))
    text = call("house", "unit", "--config", str(tmp_path))[1]
    assert "dialout" not in text
    assert "CapabilityBoundingSet=\n" in text


def test_a_path_that_systemd_would_read_differently_is_refused(call: Calling, tmp_path: Path) -> None:
    folder = tmp_path / "my house"
    call("init", str(folder))
    assert "plain path" in call.refused("house", "unit", "--config", str(folder))


@needs_systemd
def test_systemd_accepts_the_unit_without_a_warning(unit: Path) -> None:
    done = subprocess.run(
        ("systemd-analyze", "verify", str(unit)), capture_output=True, text=True, check=False, timeout=60
    )
    ours = [line for line in done.stderr.splitlines() if unit.name in line]
    assert (done.returncode, ours) == (0, []), done.stderr


@needs_systemd
def test_systemd_finds_the_unit_well_hardened(unit: Path) -> None:
    analyse = ("systemd-analyze", "security", "--offline=true", f"--threshold={int(MAX_EXPOSURE * 10)}", str(unit))
    done = subprocess.run(analyse, capture_output=True, text=True, check=False, timeout=60)
    exposure = re.search(r"exposure level for .*?: ([0-9.]+)", done.stdout)
    assert exposure, done.stdout + done.stderr
    assert float(exposure[1]) <= MAX_EXPOSURE, done.stdout


@needs_systemd
def test_the_unit_can_be_enabled(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemctl") is None:
        pytest.skip("systemctl is missing; on Debian: apt-get install systemd")
    root = tmp_path / "root"
    (root / "etc/systemd/system").mkdir(parents=True)
    shutil.copy(unit, root / "etc/systemd/system/roundhouse.service")
    enable = ("systemctl", f"--root={root}", "enable", "roundhouse")
    done = subprocess.run(enable, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert (root / "etc/systemd/system/multi-user.target.wants/roundhouse.service").is_symlink()
