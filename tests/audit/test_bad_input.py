"""User errors of verify, explain and capsule: one line on standard error and exit status 2."""

from pathlib import Path

import pytest

from tests.support.command_line import Calling
from tests.support.forgery import make_database, make_empty, make_folder, make_missing, make_other_format, make_text
from tests.support.journals import ROULETTE

COMMANDS = [["verify"], ["explain", "--round", "1"], ["capsule", "--round", "1"]]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (make_missing, "No such file"),
        (make_folder, "Is a directory"),
        (make_empty, "neither a journal nor a capsule"),
        (make_text, "neither a journal nor a capsule"),
        (make_database, "not a journal of Roundhouse"),
        (make_other_format, "format 99"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_file_that_is_not_a_journal_is_refused_in_one_line(
    tmp_path: Path, call: Calling, command: list[str], make: object, message: str
) -> None:
    path = tmp_path / "thing"
    assert callable(make)
    make(path)
    assert message in call.refused(command[0], str(path), *command[1:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "--table", ROULETTE, "--round", "99"], "has no round 99"),
        (["capsule", "--table", ROULETTE, "--round", "99"], "has no round 99"),
        (["explain", "--round", "1"], "choose one with --table"),
        (["capsule", "--round", "1", "--table", "bar"], "has no table 'bar'"),
        (["explain", "--round", "0", "--table", ROULETTE], "0 is not in the range"),
        (["explain", "--round", "4", "--table", ROULETTE, "--seat", "a"], "seat 'a' had no bets in round 4"),
        (["explain", "--round", "4", "--table", ROULETTE, "--seat", "ghost"], "seat 'ghost' had no bets"),
        (["verify", "--noted", "xyz"], "64 hexadecimal digits"),
        (["verify", "--key", "/nowhere/key"], "cannot read the key"),
        (["capsule", "--round", "1", "--table", ROULETTE, "-o", "/nowhere/x"], "Could not write"),
    ],
)
def test_a_missing_round_table_seat_or_file_is_refused_in_one_line(
    day: Path, call: Calling, arguments: list[str], message: str
) -> None:
    assert message in call.refused(arguments[0], str(day), *arguments[1:])


def test_a_capsule_of_another_round_or_without_content_is_rejected(day: Path, tmp_path: Path, call: Calling) -> None:
    path = tmp_path / "capsule.json"
    call("capsule", str(day), "--table", ROULETTE, "--round", "2", "-o", str(path))
    assert "the capsule holds round 2" in call.refused("explain", str(path), "--round", "3")
    path.write_text('{"capsule": 1}')
    status, out, _ = call("verify", str(path))
    assert status == 1
    assert "cannot be read" in out
