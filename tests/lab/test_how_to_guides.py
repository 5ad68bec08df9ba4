"""The how-to guides of the lab are correct: each command runs and prints what the page shows."""

import re
import shlex
from pathlib import Path

import pytest

from roundhouse.cli import run
from roundhouse.lab import minimum_return
from roundhouse.lab.numbers import percent
from roundhouse.lab.simulate.strategies import PARAMETER, Strategy

GUIDES = Path(__file__).parents[2] / "docs" / "how-to"
PAGE = "\n".join(
    (GUIDES / name).read_text(encoding="utf-8")
    for name in ("use-the-lab.md", "simulate-a-floor.md", "print-a-par-sheet.md")
)
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)


def test_every_example_runs_and_prints_the_documented_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, text in BLOCKS:
        if kind in ("python", "toml"):
            (tmp_path / text.split("\n", 1)[0].removeprefix("# ")).write_text(text, encoding="utf-8")
    seen, ran = "", 0
    for kind, text in BLOCKS:
        if kind == "text":
            for line in text.splitlines():
                assert line in seen.splitlines(), line
        if kind != "sh":
            continue
        seen = ""
        for line in text.splitlines():
            program, *arguments = shlex.split(line, comments=True)
            assert program == "roundhouse"
            expected = re.search(r"# exit status (\d)", line)
            assert run(arguments) == (int(expected[1]) if expected else 0), line
            captured = capsys.readouterr()
            assert captured.err == ""
            seen += captured.out
            ran += 1
    assert ran >= 24
    for name in (
        "slip.svg",
        "session.pdf",
        "play.png",
        "evening.toml",
        "money-wheel.pdf",
        "my-game.json",
        "changed.html",
    ):
        assert (tmp_path / name).stat().st_size > 500


def test_every_command_profile_and_strategy_is_documented() -> None:
    for command in ("lab slip", "lab session", "lab simulate", "lab floor", "lab odds", "lab parsheet", "game new"):
        assert f"roundhouse {command} " in PAGE
    for profile in minimum_return.shipped_profiles():
        assert f"| `{profile.id}` | {percent(profile.minimum)} | {profile.source} |" in PAGE
        assert profile.confirmed != "unconfirmed"
    for strategy in Strategy:
        (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{strategy}` |"))
        assert f"({PARAMETER[strategy]})" in row
