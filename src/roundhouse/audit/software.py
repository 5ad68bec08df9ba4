"""Known settlements: a few cases of each shipped rulebook, worked out by hand, that the software must come to.

A rulebook that is not the one whose hash was written down is named; its cases are tried all the same.

The software's own hash: what is installed here, held against what was installed, and tried on known cases.

It finds what was damaged or changed by mistake or in passing. A checker that was itself replaced can say anything:
against that, the same hash can be made with ``sha256sum`` alone, as ``docs/OFFICE.md`` shows.
"""

import base64
import csv
import hashlib
import os
import platform
import re
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

import msgspec
from msgspec import Struct

import roundhouse
from roundhouse.rules.errors import InvalidRulebook, UserError
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.names import Cents, GameId, LayoutId, Pocket, PositionId
from roundhouse.rules.settlement import Bet
from roundhouse.wire.operations import ComparedWith

_CASES = Path(__file__).with_name("known_cases.toml")


class Case(Struct, frozen=True, forbid_unknown_fields=True):
    """The same stake on each position, and what each gets back, in cents."""

    game: GameId
    layout: LayoutId
    outcome: Pocket
    stake: Cents
    returned: dict[PositionId, Cents]


class _Cases(Struct, frozen=True, forbid_unknown_fields=True):
    settlement: list[Case]


class RulebookCheck(Struct, frozen=True):
    """A rulebook file: whether it is the written-down one, and whether it settles as it must."""

    file: str
    ok: bool
    hash: str
    expected: str | None
    """The hash in ``SHA256SUMS``; nothing where the file is not listed there."""
    settlements: int
    """How many bets of known settlements were worked out again."""
    wrong: list[str]


def known_cases() -> list[Case]:
    return msgspec.toml.decode(_CASES.read_bytes(), type=_Cases).settlement


def check_rulebooks(root: Path) -> list[RulebookCheck]:
    """Every rulebook that lies in the package, or should."""
    folder = root / "rulebooks"
    try:
        lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    listed = {name: hash for hash, _, name in (line.partition("  ") for line in lines)}
    names = sorted({*listed, *(path.name for path in folder.glob("*.toml"))})
    return [_tried(folder / name, listed.get(name)) for name in names]


def _tried(path: Path, expected: str | None) -> RulebookCheck:
    try:
        content = path.read_bytes()
    except OSError as error:
        return RulebookCheck(path.name, False, "", expected, 0, [f"cannot be read: {error.strerror or error}"])
    hash = hashlib.sha256(content).hexdigest()
    try:
        game = load(content)
    except InvalidRulebook as unsound:
        return RulebookCheck(path.name, False, hash, expected, 0, [f"is not sound: {unsound}"])
    cases = [case for case in known_cases() if case.game == game.id]
    wrong = [words for case in cases for words in wrong_in(case, game)]
    tried = sum(len(case.returned) for case in cases)
    return RulebookCheck(path.name, hash == expected and not wrong, hash, expected, tried, wrong)


def wrong_in(case: Case, game: Game) -> list[str]:
    """What the software makes of a case otherwise than it must."""
    layout = game.layouts.get(case.layout)
    if layout is None or case.outcome not in game.wheel.rank or not case.returned.keys() <= layout.by_id.keys():
        return [f"has no such bets: layout {case.layout}, outcome {case.outcome}, {', '.join(case.returned)}"]
    slip = [Bet(position, case.stake) for position in case.returned]
    settled = game.prices(case.layout).settle(case.outcome, slip)
    return [
        f"{bet.stake} cents on {bet.position} with {case.outcome} return {amount}, not {case.returned[bet.position]}"
        for bet, amount in zip(slip, settled.amounts, strict=True)
        if amount != case.returned[bet.position]
    ]


PACKAGE = Path(roundhouse.__file__).parent
_LISTED = re.compile(r"([0-9a-f]{64})  (\S.*)")

Listing = Mapping[str, str]
"""Every file by its path from the package's folder up, with its SHA-256."""


class NoManifest(UserError):
    """A file that was named as a manifest and is none."""


class CannotCheck(UserError):
    """A file of the software that the machine would not give us."""


class Libraries(Struct, frozen=True):
    hash: str
    """Over the installer's list of every library: another version, or another build of one, gives another hash."""
    versions: dict[str, str]


class SelfCheckReport(Struct, frozen=True, tag_field="check", tag="selfcheck.v1"):
    ok: bool
    version: str
    software: str
    """SHA-256 of the listing: one hash for all files."""
    files: int
    compared_with: ComparedWith
    changed: list[str]
    missing: list[str]
    added: list[str]
    previous: str | None
    """The hash of an earlier check, if one is known."""
    same_as_previous: bool | None
    rulebooks: list[RulebookCheck]
    libraries: Libraries
    python: str
    sqlite: str


def self_check(root: Path = PACKAGE, manifest: Listing | None = None, previous: str | None = None) -> SelfCheckReport:
    """What is here, whether it is what was installed, and whether it settles as it must.

    ``previous`` is told and changes nothing about ``ok``: an upgrade has another hash. Who checks a house that
    runs compares with the hash of its own start, and there a difference is a fault.
    """
    found = listing(root)
    hash = hash_of(found)
    how, expected = (ComparedWith.GIVEN, manifest) if manifest is not None else installed(root)
    changed = sorted(path for path in found.keys() & expected.keys() if found[path] != expected[path])
    missing = sorted(expected.keys() - found.keys())
    added = sorted(found.keys() - expected.keys()) if how is not ComparedWith.NONE else []
    rulebooks = check_rulebooks(root)
    return SelfCheckReport(
        ok=not (changed or missing or added) and all(tried.ok for tried in rulebooks),
        version=roundhouse.__version__,
        software=hash,
        files=len(found),
        compared_with=how,
        changed=changed,
        missing=missing,
        added=added,
        previous=previous,
        same_as_previous=None if previous is None else previous == hash,
        rulebooks=rulebooks,
        libraries=libraries(),
        python=platform.python_version(),
        sqlite=_sqlite(),
    )


def listing(root: Path = PACKAGE) -> dict[str, str]:
    """Every file of the package, in the order of the bytes of their paths; what Python compiles for itself is not."""
    paths = sorted(_files(root), key=lambda path: os.fsencode(path.relative_to(root.parent)))
    try:
        return {path.relative_to(root.parent).as_posix(): _sha256(path) for path in paths}
    except OSError as error:
        raise CannotCheck(f"cannot read '{error.filename}' of the software: {error.strerror or error}") from error


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files(root: Path) -> Iterator[Path]:
    # What is linked to is run as well, so it is followed.
    for folder, inner, names in os.walk(root, followlinks=True):
        inner[:] = [name for name in inner if name != "__pycache__"]
        paths = (Path(folder) / name for name in names if not name.endswith(".pyc"))
        yield from (path for path in paths if path.is_file())


def written(files: Listing) -> bytes:
    """As ``sha256sum`` prints it."""
    return b"".join(f"{hash}  {path}\n".encode() for path, hash in files.items())


def hash_of(files: Listing) -> str:
    return hashlib.sha256(written(files)).hexdigest()


def read_manifest(path: Path) -> dict[str, str]:
    """What ``written`` wrote earlier."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise NoManifest(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}") from error
    found = [_LISTED.fullmatch(line) for line in lines]
    listed = {one[2]: one[1] for one in found if one is not None}
    if not lines or None in found:
        raise NoManifest(f"'{path}' is no list of files; 'roundhouse house selfcheck --list' writes one")
    return listed


def installed(root: Path) -> tuple[ComparedWith, dict[str, str]]:
    """What the installer noted of each file of the package, where it put them there."""
    start = f"{root.name}/"
    for record in sorted(root.parent.glob(f"{roundhouse.DISTRIBUTION.replace('-', '_')}-*.dist-info/RECORD")):
        with record.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if len(row) == 3 and row[0].startswith(start)]
        noted = {path: _hexadecimal(hash) for path, hash, _ in rows if hash.startswith("sha256=")}
        if noted:
            return ComparedWith.INSTALLED, noted
    return ComparedWith.NONE, {}


def _hexadecimal(noted: str) -> str:
    digest = noted.removeprefix("sha256=")
    return base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4)).hex()


def libraries() -> Libraries:
    """The installed distributions besides our own, each once."""
    found: dict[str, tuple[str, str]] = {}
    for one in metadata.distributions():
        # An interrupted installation may leave a distribution without a name; the old name was that of the package.
        name = re.sub(r"[-_.]+", "-", str(one.metadata["Name"] or "")).lower()
        if name not in ("", roundhouse.DISTRIBUTION, PACKAGE.name) and name not in found:
            record = one.read_text("RECORD") or ""
            found[name] = one.version, hashlib.sha256(record.encode()).hexdigest()
    lines = "".join(f"{name} {version} {hash}\n" for name, (version, hash) in sorted(found.items()))
    versions = {name: version for name, (version, _) in sorted(found.items())}
    return Libraries(hashlib.sha256(lines.encode()).hexdigest(), versions)


def _sqlite() -> str:
    import apsw

    return apsw.sqlite_lib_version()
