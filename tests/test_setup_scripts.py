"""The scripts that set up the web screens and the browser, run in a minimal checkout.

Fake ``npm`` and ``apt-get`` commands replace the real ones, so the tests download no packages.
"""

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from roundhouse import DISTRIBUTION

ROOT = Path(__file__).parents[1]
BUILT = Path("src/roundhouse/web/dist/index.html")
NPM = """#!/bin/sh
echo "$@" >>"$CALLS"
case "$1" in
ci) rm -rf node_modules; mkdir -p node_modules/.bin node_modules/svelte; touch node_modules/.bin/vite
    echo '{}' >node_modules/svelte/package.json; [ ! -e ../no-registry ] || { echo 'no registry here' >&2; exit 1; } ;;
run) [ "$3" = build ] || exit 0
    [ ! -e node_modules/damaged ] || { echo 'damaged' >&2; exit 1; }
    mkdir -p ../src/roundhouse/web/dist; echo built >../src/roundhouse/web/dist/index.html ;;
esac
"""
NODE = '#!/bin/sh\n[ "$1" = --version ] && echo v22.12.0\nexit 0\n'


class Checkout:
    """A checkout with the scripts, a few sources, and fake tools first in PATH."""

    def __init__(self, folder: Path, tools: Mapping[str, str]) -> None:
        self.folder, self.calls = folder, folder / "calls"
        (folder / "tools").mkdir()
        for name, text in tools.items():
            (folder / "tools" / name).write_text(text)
            (folder / "tools" / name).chmod(0o755)
        shutil.copytree(ROOT / "scripts", folder / "scripts")
        (folder / "web" / "src").mkdir(parents=True)
        for name in ("package.json", "package-lock.json", "src/main.ts"):
            (folder / "web" / name).write_text("{}")

    def run(self, *command: str) -> tuple[int, list[str], str]:
        """Run a command and return its status, the calls of the fake tools and its standard error."""
        self.calls.write_text("")
        environment = {"PATH": f"{self.folder / 'tools'}:{os.environ['PATH']}", "CALLS": str(self.calls)}
        done = subprocess.run(
            command, cwd=self.folder, env=os.environ | environment, capture_output=True, text=True, timeout=60
        )
        calls = [line.split()[0] if "ci" in line else line.split()[-1] for line in self.calls.read_text().splitlines()]
        return done.returncode, calls, done.stderr

    def web(self, *arguments: str) -> tuple[int, list[str], str]:
        return self.run("scripts/web", *arguments)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path, {"npm": NPM, "node": NODE})


def test_the_screens_are_built_once_and_again_after_a_change(checkout: Checkout) -> None:
    status, calls, errors = checkout.web()
    assert (status, calls, errors.count("\n")) == (0, ["ci", "build"], 2)
    assert checkout.web() == (0, [], "")
    (checkout.folder / "web/src/main.ts").write_text("changed")
    assert checkout.web()[:2] == (0, ["build"])
    (checkout.folder / "web/src/more.ts").write_text("added")
    assert checkout.web()[:2] == (0, ["build"])
    (checkout.folder / "web/src/more.ts").unlink()
    assert checkout.web()[:2] == (0, ["build"])
    (checkout.folder / "web/package-lock.json").write_text("other versions")
    assert checkout.web()[:2] == (0, ["ci", "build"])
    (checkout.folder / BUILT).unlink()
    assert checkout.web()[:2] == (0, ["build"])
    assert checkout.web("lint") == (0, ["lint"], "")


def test_an_interrupted_or_damaged_installation_is_repeated(checkout: Checkout) -> None:
    checkout.web()
    modules = checkout.folder / "web/node_modules"
    (modules / ".stamp").unlink()
    assert checkout.web()[:2] == (0, ["ci", "build"])
    shutil.rmtree(modules / "svelte")
    assert checkout.web()[:2] == (0, ["ci", "build"])
    (modules / "damaged").touch()
    (checkout.folder / "web/src/main.ts").write_text("changed")
    status, calls, errors = checkout.web()
    assert (status, calls, "damaged" in errors) == (0, ["build", "ci", "build"], False)


def test_a_failed_installation_prints_a_remedy_and_is_retried(checkout: Checkout) -> None:
    (checkout.folder / "no-registry").touch()
    status, calls, errors = checkout.web()
    assert (status, calls) == (1, ["ci"])
    assert ["no registry here" in errors, "make web" in errors] == [True, True]
    (checkout.folder / "no-registry").unlink()
    assert checkout.web()[:2] == (0, ["ci", "build"])


@pytest.mark.parametrize(("user", "installs"), [("0", True), ("1000", False)])
def test_fonts_are_installed_for_root_and_named_for_other_users(tmp_path: Path, user: str, installs: bool) -> None:
    tools = {
        "id": f"#!/bin/sh\necho {user}\n",
        "fc-list": "#!/bin/sh\n",
        "chromium": "#!/bin/sh\n",
        "apt-get": '#!/bin/sh\necho "$@" >>"$CALLS"\n',
    }
    checkout = Checkout(tmp_path, tools)
    status, _, errors = checkout.run("scripts/chromium")
    packages = "fonts-noto-core fonts-noto-cjk"
    assert (status, packages in errors) == (0, True)
    assert (packages in checkout.calls.read_text()) == installs
    assert ("apt-get install" in errors) != installs


EXTRAS = {
    "lab": {"matplotlib", "numba", "numpy"},
    "print": {"typst"},
    "cluster": {"distributed"},
    "data": {"pyarrow"},
}


def pins(lock: str) -> set[str]:
    """Return the pinned versions of a lock file, without markers."""
    return set(re.findall(r"^[^\s;]+==[^\s;]+", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))


def names(requirements: Iterable[str]) -> set[str]:
    return {re.split(r"[^A-Za-z0-9_.-]", requirement)[0].lower() for requirement in requirements}


def test_the_base_setup_installs_no_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    assert {extra: names(given) for extra, given in project["optional-dependencies"].items()} == EXTRAS
    optional = set().union(*EXTRAS.values())
    assert not optional & names(project["dependencies"])
    assert names(project["dependencies"]) <= names(pins("requirements.lock"))
    assert not (optional | {"dask", "llvmlite", "pillow"}) & names(pins("requirements.lock"))
    assert optional <= names(pins("requirements-lab.lock"))


def test_the_larger_locks_contain_the_pins_of_the_smaller_ones() -> None:
    assert pins("requirements.lock") < pins("requirements-lab.lock") < pins("requirements-dev.lock")


@pytest.mark.parametrize(
    ("target", "locks"),
    [
        ("setup", ["requirements.lock"]),
        ("lab", ["requirements.lock", "requirements-lab.lock"]),
        ("lint", ["requirements.lock", "requirements-dev.lock"]),
    ],
)
def test_each_make_target_installs_its_locks(tmp_path: Path, target: str, locks: list[str]) -> None:
    """Run ``make -n``, which only prints the commands, in a fresh checkout."""
    for name in ("Makefile", "pyproject.toml", *(lock.name for lock in ROOT.glob("requirements*.lock"))):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    done = subprocess.run(["make", "-n", target], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert re.findall(r"scripts/setup (\S+)", done.stdout) == locks
