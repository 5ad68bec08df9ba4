"""``roundhouse house unit``: writes a systemd unit for a house on this machine."""

import sys
from pathlib import Path
from typing import Final

import click

from roundhouse.cli.house_paths import NoHouse, config_file, config_option
from roundhouse.cli.output import write_file
from roundhouse.rules.errors import UserError

TEMPLATE: Final = Path(__file__).with_name("roundhouse.service")


class BadPath(UserError):
    """A path of the unit contains characters that systemd reads in another way."""


@click.command()
@config_option
@click.option("--user", default="roundhouse", show_default=True, help="User that the house runs as.")
@click.option("-o", "--output", metavar="FILE", default="-", help="File to write. Default: standard output.")
def unit(config: Path | None, user: str, output: str) -> None:
    """Write a systemd unit that runs a house with this installation of roundhouse.

    The unit gives the house few permissions. It may write to its data folder and to its folder of backups.
    """
    from roundhouse.config.loading import read

    if config is None:
        raise NoHouse("name the house with --config, such as --config /etc/roundhouse/house.toml")
    path = config_file(config).absolute()
    configuration = read(path)
    folders = [configuration.data.absolute()]
    if configuration.plan.backup is not None:
        folders.append((configuration.folder / configuration.plan.backup.folder).absolute())
    devices = [f"DeviceAllow={wheel.line} rw\n" for wheel in configuration.wheels.values() if wheel.line[:5] == "/dev/"]
    if devices:
        devices.append("SupplementaryGroups=dialout\n")
    text = TEMPLATE.read_text(encoding="utf-8")
    filled = {
        "@program@": _checked(_program()),
        "@config@": _checked(path),
        "@user@": user,
        "@folders@": " ".join(map(_checked, folders)),
        "@devices@": "".join(devices),
        # A port below 1024 needs this capability.
        "@capabilities@": "CAP_NET_BIND_SERVICE" if configuration.plan.listen.port < 1024 else "",
    }
    for mark, value in filled.items():
        text = text.replace(mark, value)
    write_file(output, text)


def _program() -> Path:
    """Return the path of this program. A link by which it was started is kept, so that an upgrade can change it."""
    started = Path(sys.argv[0]).absolute()
    return (
        started if started.name == "roundhouse" and started.is_file() else Path(sys.executable).with_name("roundhouse")
    )


def _checked(path: Path) -> str:
    if any(character in "\"'\\%$" or character.isspace() for character in str(path)):
        raise BadPath(f"'{path}' has a space, a quote or one of \\ % $; choose a plain path for a systemd unit")
    return str(path)
