"""The command line: thin, one sub-command per job.

A command is imported only when it is called, so that starting stays quick. Whatever goes wrong reaches the
person as one line on standard error; a mistake of theirs is exit status 2.
"""

import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click

from roundhouse import __version__
from roundhouse.rules.errors import UserError

_COMMANDS = {
    "games": "games",
    "positions": "games",
    "packages": "games",
    "odds": "odds",
    "settle": "settle",
    "judge": "settle",
    "layout": "games",
    "check": "games",
    "trace": "games",
    "play": "play",
    "serve": "serve",
    "deal": "deal",
    "verify": "audit",
    "explain": "audit",
    "capsule": "audit",
    "report": "reports",
    "export": "reports",
    "backup": "backup",
    "restore": "backup",
    "selfcheck": "backup",
    "wheel": "wheel",
    "slip": "session",
    "session": "session",
    "simulate": "simulate",
    "floor": "floor",
    "parsheet": "floor",
    "new-game": "games",
    "init": "serve",
    "staff": "staff",
}
"""The module that holds each command."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if (module := _COMMANDS.get(name)) is None:
            return None
        command: click.Command = getattr(import_module(f"roundhouse.cli.{module}"), name.replace("-", "_"))
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="roundhouse %(version)s")
def cli() -> None:
    """Wheel games run the way an approved rulebook says: every bet, spin and cent explained by its clause."""


def main() -> None:
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and answer with its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter is no reason to fail
    try:
        status = cli.main(arguments, prog_name="roundhouse", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "")
        return 0
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "roundhouse"
        return _complain(f"{path}: {error.format_message()} ('{path} --help' explains it)")
    except (click.ClickException, UserError) as error:
        return _complain(error.format_message() if isinstance(error, click.ClickException) else str(error))
    except click.Abort:
        return 130
    except SystemExit:
        return 141  # the reader left while click was writing: no verdict, so not the status of one
    except BrokenPipeError:
        # The reader (head, less) has left: nothing more to say, and nothing to complain about.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"cannot write: {error.strerror or error}", 1)
    except ModuleNotFoundError as missing:
        return _complain(f"the set-up is incomplete, '{missing.name}' is missing; 'make setup' mends it", 1)
    except Exception as bug:  # our own bug: the person gets a line to report, a developer the traceback
        if os.environ.get("ROUNDHOUSE_DEBUG"):
            raise
        return _complain(f"this is a bug in roundhouse, not in your input: {bug!r} (ROUNDHOUSE_DEBUG=1 shows more)", 70)


def _complain(message: str, status: int = 2) -> int:
    click.echo(f"roundhouse: {' '.join(message.removeprefix('roundhouse: ').split())}", err=True)
    return status
