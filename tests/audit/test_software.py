"""The software checks itself: a copy of it is damaged in every way that must be found."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roundhouse import rulebooks
from roundhouse.audit.software import (
    PACKAGE,
    format_manifest,
    hash_files,
    hash_of,
    known_cases,
    self_check,
    wrong_in,
)
from roundhouse.rules.loading import load
from roundhouse.wire.operations import ComparedWith
from tests.support.command_line import Calling

ROOT = Path(__file__).parents[2]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the software, to do harm to."""
    shutil.copytree(PACKAGE, tmp_path / "roundhouse", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "roundhouse"


def test_this_software_is_sound(call: Calling) -> None:
    told = call.json("selfcheck")
    assert told["ok"] is True
    assert told["software"] == hash_of(hash_files())
    assert {tried["file"] for tried in told["rulebooks"]} == {f"{id}.toml" for id in rulebooks.SHIPPED}
    assert all(tried["settlements"] >= 8 for tried in told["rulebooks"])
    assert told["libraries"]["versions"]["msgspec"]
    assert "roundhouse" not in told["libraries"]["versions"]
    status, out, err = call("selfcheck")
    assert (status, err) == (0, "")
    assert told["software"] in out
    assert "All checks passed." in out


def test_anyone_can_make_the_hash_with_other_tools(package: Path) -> None:
    """The recipe of the docs, without a line of this software."""
    recipe = (
        "find -L roundhouse -type f ! -path '*/__pycache__/*' ! -name '*.pyc' -print0"
        " | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum"
    )
    assert recipe in (ROOT / "docs" / "how-to" / "check-the-software.md").read_text(encoding="utf-8")
    (package / "rules-and-more.py").write_text("")  # before the folder 'rules' by its bytes, after it by its parts
    (package / "linked").symlink_to(ROOT / "tests" / "rulebooks")
    (package / "gone").symlink_to("nowhere")
    made = subprocess.run(["sh", "-c", recipe], cwd=package.parent, capture_output=True, check=True)
    assert made.stdout.split()[0].decode() == self_check(package).software


def test_what_python_compiles_is_not_the_software(package: Path) -> None:
    before = self_check(package).software
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"x")
    assert self_check(package).software == before


def test_a_list_that_was_kept_finds_what_changed(package: Path, tmp_path: Path, call: Calling) -> None:
    kept = hash_files(package)
    (package / "rules" / "odds.py").write_text("# other odds\n")
    (package / "table" / "ledger.py").unlink()
    (package / "rules" / "extra.py").write_text("")
    found = self_check(package, kept)
    assert (found.ok, found.compared_with) == (False, ComparedWith.GIVEN)
    assert (found.changed, found.missing, found.added) == (
        ["roundhouse/rules/odds.py"],
        ["roundhouse/table/ledger.py"],
        ["roundhouse/rules/extra.py"],
    )
    file = tmp_path / "kept.txt"
    file.write_bytes(format_manifest(hash_files()))
    assert call.json("selfcheck", "--manifest", str(file))["compared_with"] == "given"
    file.write_bytes(format_manifest({**hash_files(), "roundhouse/gone.py": "0" * 64}))
    status, out, _ = call("selfcheck", "--manifest", str(file))
    assert status == 1
    assert "roundhouse/gone.py" in out


def test_the_list_is_what_sha256sum_prints(call: Calling) -> None:
    status, out, err = call("selfcheck", "--list")
    assert (status, err) == (0, "")
    assert out.encode() == format_manifest(hash_files())
    assert hashlib.sha256(out.encode()).hexdigest() == call.json("selfcheck")["software"]


def test_a_checkout_has_no_list_and_remembers_its_hash(package: Path) -> None:
    first = self_check(package)
    assert (first.ok, first.compared_with, first.same_as_previous) == (True, ComparedWith.NONE, None)
    assert self_check(package, previous=first.software).same_as_previous is True
    (package / "rules" / "odds.py").write_text("# other odds\n")
    again = self_check(package, previous=first.software)
    assert (again.ok, again.same_as_previous, again.previous) == (True, False, first.software)


def test_what_an_installer_put_there_is_held_against_its_own_list(tmp_path: Path) -> None:
    target = tmp_path / "site"
    install = "-m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --target"
    subprocess.run([sys.executable, *install.split(), str(target), str(ROOT)], check=True, capture_output=True)
    package = target / "roundhouse"
    found = self_check(package)
    assert (found.ok, found.compared_with) == (True, ComparedWith.INSTALLED)
    assert found.software == self_check().software
    with (package / "table" / "round.py").open("a") as file:
        file.write("\n")
    found = self_check(package)
    assert (found.ok, found.changed) == (False, ["roundhouse/table/round.py"])
    (package / "table" / "round.py").unlink()
    (package / "new.py").write_text("")
    found = self_check(package)
    assert (found.missing, found.added) == (["roundhouse/table/round.py"], ["roundhouse/new.py"])


def test_a_rulebook_that_was_edited_is_named(package: Path) -> None:
    book = package / "rulebooks" / "rws-double-zero.toml"
    text = book.read_text(encoding="utf-8")
    book.write_text(text + "\n# a remark\n", encoding="utf-8")
    (tried,) = [tried for tried in self_check(package).rulebooks if not tried.ok]
    assert (tried.file, tried.wrong) == ("rws-double-zero.toml", [])
    assert tried.hash != tried.expected
    assert self_check(package).ok is False
    book.write_text("", encoding="utf-8")
    (tried,) = [tried for tried in self_check(package).rulebooks if not tried.ok]
    assert "is not sound" in tried.wrong[0]
    book.unlink()
    (tried,) = [tried for tried in self_check(package).rulebooks if not tried.ok]
    assert "cannot be read" in tried.wrong[0]


def test_a_rulebook_that_is_not_listed_is_named(package: Path) -> None:
    other = ROOT / "tests" / "rulebooks" / "single-zero.toml"
    shutil.copyfile(other, package / "rulebooks" / other.name)
    (tried,) = [tried for tried in self_check(package).rulebooks if not tried.ok]
    assert (tried.file, tried.expected, tried.settlements) == ("single-zero.toml", None, 0)


def test_odds_that_are_wrong_are_found_by_what_is_known() -> None:
    """Every game, with one of its odds changed: the known settlements must notice, whatever the hash says."""
    for id, was, now in (
        ("rws-double-zero", "35", "34"),
        ("rws-triple-zero", "35", "34"),
        ("mbs-sands", "11", "10"),
        ("mbs-electronic-double-zero", "17", "16"),
        ("rws-money-wheel", "45", "44"),
    ):
        text = rulebooks.shipped(id).read_text(encoding="utf-8")  # type: ignore[arg-type]
        assert f"pays = {was}" in text
        game = load(text.replace(f"pays = {was}", f"pays = {now}").encode())
        assert any(wrong_in(case, game) for case in known_cases() if case.game == id), id
        game = load(text.encode())
        assert not any(wrong_in(case, game) for case in known_cases() if case.game == id), id
