"""The command line: the table of commands, exit statuses and error messages.

A command's module is imported only when the command runs, so that help stays fast. An error in the input prints one
line on standard error and exits with status 2.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Final, NamedTuple

import click

from roundhouse import DISTRIBUTION, __version__
from roundhouse.rules.errors import UserError


class CommandEntry(NamedTuple):
    """The module and function of a command, and its line in the list of commands."""

    module: str
    function: str
    help: str


GROUPS: Final = {
    "game": "Read games and rulebooks, settle bets, judge spins",
    "lab": "Compute exact odds, simulate play, write PAR sheets",
    "house": "Set up, run, report on and back up a house",
    "house staff": "Manage the people of a house",
    "audit": "Verify journals and explain rounds",
    "witness": "Run a witness that remembers the heads of journals",
    "wheel": "Read, record, simulate and test a wheel",
}

COMMANDS: Final = {
    "play": CommandEntry("play", "play", "Open a house of play money in the browser"),
    "deal": CommandEntry("deal", "deal", "Run one table on standard input and output"),
    "game list": CommandEntry("games", "games", "List the games"),
    "game positions": CommandEntry("games", "positions", "List the positions of a layout"),
    "game packages": CommandEntry("games", "packages", "List the packages of a terminal"),
    "game layout": CommandEntry("games", "layout", "Draw a layout as an SVG picture"),
    "game settle": CommandEntry("settle", "settle", "Settle bets for an outcome"),
    "game judge": CommandEntry("settle", "judge", "Judge whether a spin is valid or void"),
    "game check": CommandEntry("games", "check", "Check a rulebook file and list its faults"),
    "game trace": CommandEntry("games", "trace", "Show how each clause of the rules is met"),
    "game new": CommandEntry("games", "new_game", "Write a commented rulebook to start from"),
    "lab odds": CommandEntry("odds", "odds", "Show the exact odds of every bet"),
    "lab slip": CommandEntry("session", "slip", "Show the exact result of one round of a slip"),
    "lab session": CommandEntry("session", "session", "Show the exact result of many rounds of a slip"),
    "lab simulate": CommandEntry("simulate", "simulate", "Simulate sessions of a slip"),
    "lab floor": CommandEntry("floor", "floor", "Simulate evenings of a whole floor"),
    "lab parsheet": CommandEntry("floor", "parsheet", "Write the PAR sheet of a game"),
    "house init": CommandEntry("serve", "init", "Write a commented house.toml to start from"),
    "house serve": CommandEntry("serve", "serve", "Run a house from its configuration file"),
    "house unit": CommandEntry("unit", "unit", "Write a systemd unit for a house"),
    "house report": CommandEntry("reports", "report", "Report handle, win, hold and drop"),
    "house cage": CommandEntry("cage", "cage", "Report drawers of the cage and reported cash"),
    "house rounds": CommandEntry("rounds", "rounds", "List rounds, or the rounds of a figure of a report"),
    "house export": CommandEntry("reports", "export", "Export meters, significant events or unredeemed tickets"),
    "house backup": CommandEntry("backup", "backup", "Copy and verify the journal of a running house"),
    "house restore": CommandEntry("backup", "restore", "Restore a house from a backup"),
    "house rekey": CommandEntry("keys", "rekey", "Replace the key that signs the journal"),
    "house selfcheck": CommandEntry("backup", "selfcheck", "Check the installed software"),
    "house staff add": CommandEntry("staff", "add", "Add a person"),
    "house staff list": CommandEntry("staff", "list_", "List the people"),
    "house staff position": CommandEntry("staff", "position", "Set the positions of a person"),
    "house staff password": CommandEntry("staff", "password", "Set the password of a person"),
    "house staff lock": CommandEntry("staff", "lock", "Lock a person out"),
    "house staff unlock": CommandEntry("staff", "unlock", "Allow a locked person to log in again"),
    "audit verify": CommandEntry("audit", "verify", "Verify a journal or a capsule"),
    "audit explain": CommandEntry("audit", "explain", "Explain a round, clause by clause"),
    "audit capsule": CommandEntry("audit", "capsule", "Write one round to a file that can be verified alone"),
    "witness init": CommandEntry("witness", "init", "Create the key and the memory of a witness"),
    "witness trust": CommandEntry("witness", "trust", "Trust the public key of a house"),
    "witness run": CommandEntry("witness", "run", "Run a witness, over HTTP or through a shared folder"),
    "witness forget": CommandEntry("witness", "forget", "Forget the journal of a house that was lost"),
    "witness list": CommandEntry("witness", "list_", "List the journals and heads that a witness has seen"),
    "wheel decode": CommandEntry("wheel", "decode", "Decode a recording, game by game"),
    "wheel watch": CommandEntry("wheel", "watch", "Show the events of a wheel live"),
    "wheel record": CommandEntry("wheel", "record", "Record the line of a wheel to a file"),
    "wheel simulate": CommandEntry("wheel_tools", "simulate", "Simulate a wheel and its line"),
    "wheel health": CommandEntry("wheel_tools", "health", "Test the spins of a recording for bias"),
}
"""Every command by its full name, in the order in which help lists them."""

OLD_NAMES: Final = {
    "games": "game list",
    "new-game": "game new",
    **{name: f"game {name}" for name in ("positions", "packages", "layout", "settle", "judge", "check", "trace")},
    **{name: f"lab {name}" for name in ("odds", "slip", "session", "simulate", "floor", "parsheet")},
    **{name: f"house {name}" for name in ("init", "serve", "staff", "report", "export", "backup", "restore")},
    "rounds": "house rounds",
    "selfcheck": "house selfcheck",
    **{name: f"audit {name}" for name in ("verify", "explain", "capsule")},
}
"""Command names from before the groups, with their new names. They still work but help does not list them."""

_EXTRAS: Final = {
    "numpy": "lab",
    "numba": "lab",
    "llvmlite": "lab",
    "matplotlib": "lab",
    "typst": "print",
    "distributed": "cluster",
    "dask": "cluster",
    "pyarrow": "data",
}
"""For each optional library, the extra of the distribution that installs it."""


class CommandGroup(click.Group):
    """A group of commands: those of ``COMMANDS`` whose full name begins with ``path``."""

    path = ""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name, _ in self._lines()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        path = f"{self.path} {name}".lstrip()
        if not self.path:
            path = OLD_NAMES.get(path, path)
        if path in GROUPS:
            group = CommandGroup(name, help=f"{GROUPS[path]}.")
            group.path = path
            return group
        if (entry := COMMANDS.get(path)) is None:
            return None
        command: click.Command = getattr(import_module(f"roundhouse.cli.{entry.module}"), entry.function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        start = f"{self.path} " if self.path else ""
        lines: dict[str, str] = {}
        for path, entry in COMMANDS.items():
            if path.startswith(start):
                name, _, below = path.removeprefix(start).partition(" ")
                lines[name] = GROUPS[start + name] if below else entry.help
        return list(lines.items())


_HELP_OPTIONS: Final = ["-h", "--help"]


@click.group(cls=CommandGroup, context_settings={"help_option_names": _HELP_OPTIONS})
@click.version_option(__version__, message="roundhouse %(version)s")
def cli() -> None:
    """Run wheel games by an approved rulebook, and explain every bet, spin and cent by its clause.

    'roundhouse COMMAND --help' lists the commands of a group or explains a command.
    """


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # characters that the encoding lacks are printed as "?"
    try:
        status = cli.main(arguments, prog_name="roundhouse", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "")
        return 0
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "roundhouse"
        return _complain(f"{path}: {error.format_message()} (see '{path} --help')")
    except (click.ClickException, UserError) as error:
        return _complain(error.format_message() if isinstance(error, click.ClickException) else str(error))
    except click.Abort:
        return 130
    except SystemExit:
        return 141  # rich raises SystemExit if the reader closes the pipe; status 1 would mean a failed check
    except BrokenPipeError:
        # The reader (head, less) closed the pipe, which is not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"Could not write {error.filename or 'the output'}: {error.strerror or error}", 1)
    except ModuleNotFoundError as missing:
        return _complain_of_missing(missing.name or str(missing), arguments)
    except Exception as bug:  # a bug in Roundhouse: users get one line to report, developers the traceback
        if os.environ.get("ROUNDHOUSE_DEBUG"):
            raise
        message = f"this is a bug in roundhouse, not in your input: {bug!r}"
        return _complain(f"{message} (set ROUNDHOUSE_DEBUG=1 to see the traceback)", 70)


def name_of(arguments: Sequence[str]) -> str:
    """Return the command name within the arguments, as the user typed it.

    >>> name_of(["lab", "odds", "mbs-sands"]), name_of(["staff", "list", "--json"]), name_of(["--help"])
    ('lab odds', 'staff list', '')
    """
    for length in range(min(3, len(arguments)), 0, -1):
        first, *others = arguments[:length]
        if " ".join((OLD_NAMES.get(first, first), *others)) in COMMANDS:
            return " ".join((first, *others))
    return ""


def _complain_of_missing(module: str, arguments: Sequence[str]) -> int:
    if (extra := _EXTRAS.get(module.partition(".")[0])) is None:
        return _complain(f"Python module '{module}' is missing; 'make setup' installs it", 1)
    install = f"pip install '{DISTRIBUTION}[{extra}]', or 'make lab' in a checkout"
    return _complain(f"'{name_of(arguments)}' needs the extra \"{extra}\": {install}")


def reference_page() -> str:
    """Return the text of ``docs/reference/cli.md``: the help of every command, in the order of ``COMMANDS``."""
    from textwrap import fill

    shorter = ", ".join(f"`{old}`" for old, new in OLD_NAMES.items() if new.endswith(f" {old}"))
    parts = [_REFERENCE, fill(f"{_RENAMED} {shorter}.", 100, break_on_hyphens=False), "\n"]
    top = click.Context(cli, info_name="roundhouse", terminal_width=100, help_option_names=_HELP_OPTIONS)
    for path, entry in COMMANDS.items():
        *groups, _ = path.split(" ")
        group = " ".join(groups)
        if groups and f"## {group}\n" not in "".join(parts):
            parts.append(f"\n## {group}\n\n{GROUPS[group]}.\n")
        parts.append(f"\n{'###' if groups else '##'} {path}\n\n{entry.help}.\n\n```\n{_help_of(path, top)}\n```\n")
    return "".join(parts)


def _help_of(path: str, top: click.Context) -> str:
    command: click.Command | None = cli
    for name in path.split(" "):
        assert isinstance(command, click.Group)
        command = command.get_command(top, name)
    assert command is not None
    context = click.Context(command, parent=top, info_name=path)
    return command.get_help(context)


_REFERENCE: Final = """\
# Command line

Generated by `scripts/reference` from the commands. Do not edit this page.

`roundhouse --help` lists the commands and groups, `roundhouse GROUP --help` the commands of a group,
`roundhouse COMMAND --help` explains a command. `GAME` is an id or the path of a rulebook file. Amounts are minor units.

| exit status | meaning |
|---|---|
| 0 | success |
| 1 | the check failed (`audit verify`, `house selfcheck`, `lab odds --floor`), or the output could not be written |
| 2 | the input is wrong, or an extra is missing; one line on standard error explains what to do |
| 3 | `audit verify`: everything is consistent, but no key shows who wrote it |
| 70 | a bug in Roundhouse; `ROUNDHOUSE_DEBUG=1` shows the traceback |
| 130 | interrupted with Ctrl-C |
| 141 | the reader of the output closed the pipe |

The distribution `roundhouse-games` has three extras. In a checkout, `make lab` installs them all.

| extra | libraries | needed by |
|---|---|---|
| `lab` | NumPy, Numba, Matplotlib | `lab simulate`, `floor`, `parsheet`; `--plot`, `--liability`, `--method fast` |
| `print` | Typst | `lab parsheet` as PDF |
| `cluster` | Distributed (Dask) | `--cluster` |

"""
_RENAMED: Final = """\
Names from before the groups still work: `games` for `game list`, `new-game` for `game new`, and these commands
without their group:"""


def _complain(message: str, status: int = 2) -> int:
    click.echo(f"roundhouse: {' '.join(message.removeprefix('roundhouse: ').split())}", err=True)
    return status
