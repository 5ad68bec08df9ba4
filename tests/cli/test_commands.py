"""The list of commands: groups, names, help lines, and which modules a call imports."""

import json
import re
import subprocess
import sys

import click
import pytest

from roundhouse.cli import COMMANDS, GROUPS, OLD_NAMES, cli
from tests.support.command_line import Calling

VERBS = {
    "Add", "Allow", "Check", "Compute", "Copy", "Create", "Decode", "Draw", "Explain", "Export", "Forget", "Judge",
    "List", "Lock", "Manage", "Open", "Read", "Record", "Replace", "Report", "Restore", "Run", "Set", "Settle", "Show",
    "Simulate", "Test", "Trust", "Verify", "Write",
}  # fmt: skip
HEAVY = {"apsw", "asyncio", "numba", "numpy", "rich", "roundhouse.lab", "starlette", "uvicorn"}


@pytest.mark.parametrize(("name", "help"), [*GROUPS.items(), *((name, entry.help) for name, entry in COMMANDS.items())])
def test_every_help_line_is_short_and_begins_with_a_verb(name: str, help: str) -> None:
    assert re.split(r"\W", help)[0] in VERBS
    assert len(help) <= 56
    assert not help.endswith(".")


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_and_option_has_help_in_full_sentences(name: str) -> None:
    command: click.Command | None = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    assert command.help is not None
    assert re.match(r"[A-Z].*\.", command.help)
    options = [option for option in command.params if isinstance(option, click.Option)]
    assert [option.name for option in options if not re.fullmatch(r"[A-Za-z-].*\.", option.help or "", re.DOTALL)] == []


def test_help_lists_every_command_once(call: Calling) -> None:
    listed = []
    for group in ("", *GROUPS):
        status, out, err = call(*group.split(), "--help")
        assert (status, err) == (0, "")
        lines = re.findall(r"^  ([a-z]+) +([A-Z].*)$", out[out.index("Commands:") :], re.MULTILINE)
        names = [f"{group} {name}".lstrip() for name, _ in lines]
        assert [help for _, help in lines] == [GROUPS.get(name) or COMMANDS[name].help for name in names]
        listed += names
    assert sorted(listed) == sorted([*GROUPS, *COMMANDS])


def test_old_command_names_still_work_but_are_not_listed(call: Calling) -> None:
    assert len(OLD_NAMES) == 27
    assert set(OLD_NAMES.values()) <= COMMANDS.keys() | GROUPS.keys()
    for old, name in OLD_NAMES.items():
        status, out, _ = call(old, "--help")
        assert status == 0
        assert (
            out.replace(f"roundhouse {old} ", f"roundhouse {name} ").split() == call(*name.split(), "--help")[1].split()
        )


@pytest.mark.parametrize(
    "name", ["frobnicate", "game frobnicate", "house staff frobnicate", "games list", "house games"]
)
def test_an_unknown_command_name_is_refused(call: Calling, name: str) -> None:
    call.refused(*name.split())


def test_a_group_without_a_command_prints_its_help(call: Calling) -> None:
    for group in GROUPS:
        assert call(*group.split()) == call(*group.split(), "--help")


def loaded_modules(*arguments: str) -> set[str]:
    """Run a command in a separate process and return the modules that it loaded."""
    code = "import json, sys; from roundhouse.cli import run; run(sys.argv[1:]); print(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["house", "--help"], ["staff", "--help"], ["wheel"]])
def test_printing_help_imports_no_command(arguments: list[str]) -> None:
    modules = loaded_modules(*arguments)
    ours = {module for module in modules if module.startswith("roundhouse")}
    assert ours == {"roundhouse", "roundhouse.cli", "roundhouse.rules", "roundhouse.rules.errors"}
    assert not modules & HEAVY


@pytest.mark.parametrize(
    "arguments",
    [["games"], ["game", "list"], ["game", "check", "mbs-sands", "--json"], ["packages", "mbs-sands", "--json"]],
)
def test_simple_commands_import_no_heavy_library(arguments: list[str]) -> None:
    assert not loaded_modules(*arguments) & HEAVY
