"""The software check: a damaged copy of the package is detected in each case."""

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
    """A copy of the package that a test can damage."""
    shutil.copytree(PACKAGE, tmp_path / "roundhouse", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "roundhouse"


def test_the_software_under_test_passes_its_check(call: Calling) -> None:
    report = call.json("selfcheck")
    assert report["ok"] is True
    assert report["software"] == hash_of(hash_files())
    assert {book["file"] for book in report["rulebooks"]} == {f"{id}.toml" for id in rulebooks.SHIPPED}
    assert all(book["settlements"] >= 8 for book in report["rulebooks"])
    assert report["libraries"]["versions"]["msgspec"]
    assert "roundhouse" not in report["libraries"]["versions"]
    status, out, err = call("selfcheck")
    assert (status, err) == (0, "")
    assert report["software"] in out
    assert "All checks passed." in out


def test_the_documented_shell_recipe_gives_the_same_hash(package: Path) -> None:
    """Run the recipe from the documentation, which uses standard tools only."""
    recipe = (
        "find -L roundhouse -type f ! -path '*/__pycache__/*' ! -name '*.pyc' -print0"
        " | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum"
    )
    assert recipe in (ROOT / "docs" / "how-to" / "check-the-software.md").read_text(encoding="utf-8")
    (package / "rules-and-more.py").write_text("")  # sorts before "rules/" by bytes, after it by path parts
    (package / "linked").symlink_to(ROOT / "tests" / "rulebooks")
    (package / "gone").symlink_to("nowhere")
    result = subprocess.run(["sh", "-c", recipe], cwd=package.parent, capture_output=True, check=True)
    assert result.stdout.split()[0].decode() == self_check(package).software


def test_compiled_python_files_do_not_change_the_hash(package: Path) -> None:
    before = self_check(package).software
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.cpython-311.pyc").write_bytes(b"x")
    assert self_check(package).software == before


def test_a_supplied_manifest_reveals_changed_missing_and_added_files(
    package: Path, tmp_path: Path, call: Calling
) -> None:
    manifest = hash_files(package)
    (package / "rules" / "odds.py").write_text("# other odds\n")
    (package / "table" / "ledger.py").unlink()
    (package / "rules" / "extra.py").write_text("")
    found = self_check(package, manifest)
    assert (found.ok, found.compared_with) == (False, ComparedWith.GIVEN)
    assert (found.changed, found.missing, found.added) == (
        ["roundhouse/rules/odds.py"],
        ["roundhouse/table/ledger.py"],
        ["roundhouse/rules/extra.py"],
    )
    file = tmp_path / "manifest.txt"
    file.write_bytes(format_manifest(hash_files()))
    assert call.json("selfcheck", "--manifest", str(file))["compared_with"] == "given"
    file.write_bytes(format_manifest({**hash_files(), "roundhouse/gone.py": "0" * 64}))
    status, out, _ = call("selfcheck", "--manifest", str(file))
    assert status == 1
    assert "roundhouse/gone.py" in out


def test_the_list_option_prints_the_manifest_in_sha256sum_format(call: Calling) -> None:
    status, out, err = call("selfcheck", "--list")
    assert (status, err) == (0, "")
    assert out.encode() == format_manifest(hash_files())
    assert hashlib.sha256(out.encode()).hexdigest() == call.json("selfcheck")["software"]


def test_a_checkout_is_compared_with_its_previous_hash(package: Path) -> None:
    first = self_check(package)
    assert (first.ok, first.compared_with, first.same_as_previous) == (True, ComparedWith.NONE, None)
    assert self_check(package, previous=first.software).same_as_previous is True
    (package / "rules" / "odds.py").write_text("# other odds\n")
    again = self_check(package, previous=first.software)
    assert (again.ok, again.same_as_previous, again.previous) == (True, False, first.software)


def test_an_installed_package_is_compared_with_the_list_of_its_installer(tmp_path: Path) -> None:
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


def test_an_edited_or_missing_rulebook_is_reported(package: Path) -> None:
    file = package / "rulebooks" / "rws-double-zero.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text + "\n# a remark\n", encoding="utf-8")
    (book,) = [book for book in self_check(package).rulebooks if not book.ok]
    assert (book.file, book.wrong) == ("rws-double-zero.toml", [])
    assert book.hash != book.expected
    assert self_check(package).ok is False
    file.write_text("", encoding="utf-8")
    (book,) = [book for book in self_check(package).rulebooks if not book.ok]
    assert "is not valid" in book.wrong[0]
    file.unlink()
    (book,) = [book for book in self_check(package).rulebooks if not book.ok]
    assert "cannot be read" in book.wrong[0]


def test_an_unlisted_rulebook_is_reported(package: Path) -> None:
    other = ROOT / "tests" / "rulebooks" / "single-zero.toml"
    shutil.copyfile(other, package / "rulebooks" / other.name)
    (book,) = [book for book in self_check(package).rulebooks if not book.ok]
    assert (book.file, book.expected, book.settlements) == ("single-zero.toml", None, 0)


def test_changed_odds_are_detected_by_the_known_settlements() -> None:
    """Change one of the odds of each game. The known settlements must detect it, whatever the hash is."""
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
