"""The repository: complete documentation, small files, and no tracked file with forbidden content."""

import ast
import hashlib
import re
import subprocess
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from msgspec import Struct

from roundhouse.cli import COMMANDS, reference_page
from roundhouse.rules import rulebook
from roundhouse.rules.loading import load
from roundhouse.rules.names import LayoutId
from roundhouse.rules.odds import odds_of_position
from roundhouse.rules.rulebook import Effect, LateEffect, Moment, Rulebook, Until
from roundhouse.table.commands import AnyCommand
from roundhouse.table.names import Phase
from roundhouse.table.refusals import Refusal

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
BINARY = {".png", ".webp", ".xz"}
"""Pictures and compressed golden journals."""


def tracked() -> list[Path]:
    """List the files that git tracks, or all files outside hidden folders in an unpacked archive."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0:
        return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    return [path for path in ROOT.rglob("*") if path.is_file() and not any(p.startswith(".") for p in path.parts)]


BINARY = {".png", ".webp", ".xz"}


def texts() -> list[tuple[Path, str]]:
    return [(path, path.read_text(encoding="utf-8")) for path in tracked() if path.suffix not in BINARY]


def test_every_key_of_a_rulebook_is_documented() -> None:
    page = (DOCS / "reference" / "rulebook.md").read_text(encoding="utf-8")
    named = (
        set(re.findall(r"`([\w.]+)`", page)) | set(re.findall(r"\[([\w.]+)\]", page)) | set(re.findall(r"\w+", page))
    )
    sections = [kind for kind in vars(rulebook).values() if isinstance(kind, type) and issubclass(kind, Struct)]
    keys = {field.name for section in sections for field in msgspec.structs.fields(section)}
    assert len(keys) > 50
    assert keys <= named, keys - named
    values = {value.value for kind in (Effect, Until, Moment, LateEffect) for value in kind}
    assert values <= named, values - named
    assert {field.name for field in msgspec.structs.fields(Rulebook)} <= named


def test_the_game_in_the_documentation_is_valid() -> None:
    page = (DOCS / "reference" / "rulebook.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    game = load(text.encode())
    edges = {p.id: str(odds_of_position(p, game.wheel).edge) for p in game.layouts[LayoutId("A")].positions}
    assert edges == {"symbol:star": "2/11", "symbol:4": "1/11", "symbol:2": "2/11", "symbol:1": "1/11"}


def test_the_readme_names_two_commands_and_links_the_command_reference() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make play" in page
    assert "make test" in page
    assert "docs/reference/cli.md" in page


def test_the_reference_of_the_command_line_is_current() -> None:
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    assert page == reference_page(), "run: scripts/reference"
    assert [command for command in COMMANDS if f"Usage: roundhouse {command} [OPTIONS]" not in page] == []


def test_every_request_refusal_and_phase_is_documented() -> None:
    page = (DOCS / "reference" / "table.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w]+)`", page))
    commands = {command.__struct_config__.tag for command in get_args(AnyCommand)}
    names = {*commands, *(refusal.value for refusal in Refusal), *(phase.value for phase in Phase)}
    assert len(names) > 80
    assert names <= named, names - named
    order = [page.index(f"`{refusal.value}`", page.index("## Refusals")) for refusal in Refusal]
    assert order == sorted(order), "refusals are listed in the order in which they are checked"


def test_every_link_of_the_documentation_resolves() -> None:
    for path, text in texts():
        if path.suffix == ".md":
            for target in re.findall(r"\]\(([^)#:]+)\)", text):
                assert (path.parent / target).exists(), (path, target)


def test_every_module_of_the_rules_is_in_the_architecture_page() -> None:
    page = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
    modules = {path.stem for path in (ROOT / "src/roundhouse/rules").glob("*.py")} - {"__init__"}
    assert modules <= set(re.findall(r"`(\w+)`", page))


def test_no_source_file_is_longer_than_400_lines() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path, text in texts()
        if path.suffix in {".py", ".ts", ".svelte"} and (lines := text.count("\n")) > 400
        if path.name != "wire.ts"  # generated: one line for each type
    }
    assert long == {}


def test_every_module_has_a_docstring() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        first = path.read_text(encoding="utf-8").lstrip()
        assert first.startswith('"""') or path.name == "__main__.py", path


def test_the_shipped_rulebooks_match_their_recorded_hashes() -> None:
    """Does the same as ``sha256sum -c SHA256SUMS`` in their folder. A rulebook in use is never edited."""
    folder = ROOT / "src/roundhouse/rulebooks"
    listed = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert listed == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.toml")}


# The strings are split so that this file does not match.
REGISTRIES = ["py" + "pi.org", "python" + "hosted", "npm" + "js", "registry" + ".", "deb." + "debian", "/simple" + "/"]
MACHINE = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/"]


@pytest.mark.parametrize("forbidden", [*REGISTRIES, *MACHINE])
def test_no_tracked_file_contains_a_registry_address_or_a_local_path(forbidden: str) -> None:
    assert [str(path.relative_to(ROOT)) for path, text in texts() if forbidden in text and path.name != "LICENSE"] == []


def test_every_pinned_package_has_its_hash_and_no_address() -> None:
    lock = msgspec.json.decode((ROOT / "web/package-lock.json").read_bytes())
    packages = {name: found for name, found in lock["packages"].items() if name}
    assert len(packages) > 50
    assert [name for name, found in packages.items() if "integrity" not in found or "resolved" in found] == []
    for path in ROOT.glob("requirements*.lock"):
        pins = re.split(r"\n(?=\S)", path.read_text(encoding="utf-8").strip())
        assert [pin for pin in pins if "==" not in pin or "--hash=sha256:" not in pin] == [], path


def test_the_rules_contain_no_float() -> None:
    """Money and odds are integers and fractions. Only the judge accepts parts of a revolution."""
    for path in (ROOT / "src/roundhouse/rules").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), (path, node.lineno)
            if isinstance(node, ast.Name) and node.id == "float":
                assert path.name == "judge.py", (path, node.lineno)
