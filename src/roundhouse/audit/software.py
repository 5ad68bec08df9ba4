"""Self-check of the installed software: file hashes, rulebooks and settlements computed by hand.

The check detects damage and accidental changes. It cannot detect that the checking code itself was replaced.
``docs/how-to/check-the-software.md`` therefore computes the same hash with ``sha256sum``.
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
    """A known settlement: the same stake on each position, and the amount each returns, in cents."""

    game: GameId
    layout: LayoutId
    outcome: Pocket
    stake: Cents
    returned: dict[PositionId, Cents]


class _Cases(Struct, frozen=True, forbid_unknown_fields=True):
    settlement: list[Case]


class RulebookCheck(Struct, frozen=True):
    """The check of a rulebook file: its hash and its known settlements."""

    file: str
    ok: bool
    hash: str
    expected: str | None
    """The hash in ``SHA256SUMS``. None if the file is not listed there."""
    settlements: int
    """Number of bets that were settled for the check."""
    wrong: list[str]
    """Messages about faults and wrong settlements."""


def known_cases() -> list[Case]:
    return msgspec.toml.decode(_CASES.read_bytes(), type=_Cases).settlement


def check_rulebooks(root: Path) -> list[RulebookCheck]:
    """Check every rulebook that is in the package or listed in its ``SHA256SUMS``."""
    folder = root / "rulebooks"
    try:
        lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    listed = {name: hash for hash, _, name in (line.partition("  ") for line in lines)}
    names = sorted({*listed, *(path.name for path in folder.glob("*.toml"))})
    return [_check_rulebook(folder / name, listed.get(name)) for name in names]


def _check_rulebook(path: Path, expected: str | None) -> RulebookCheck:
    """Check one rulebook. Settlements are checked even if the hash differs."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return RulebookCheck(path.name, False, "", expected, 0, [f"cannot be read: {error.strerror or error}"])
    hash = hashlib.sha256(content).hexdigest()
    try:
        game = load(content)
    except InvalidRulebook as unsound:
        return RulebookCheck(path.name, False, hash, expected, 0, [f"is not valid: {unsound}"])
    cases = [case for case in known_cases() if case.game == game.id]
    wrong = [message for case in cases for message in wrong_in(case, game)]
    settlements = sum(len(case.returned) for case in cases)
    return RulebookCheck(path.name, hash == expected and not wrong, hash, expected, settlements, wrong)


def wrong_in(case: Case, game: Game) -> list[str]:
    """Settle a case and return a message for each wrong amount."""
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
_MANIFEST_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")

FileHashes = Mapping[str, str]
"""SHA-256 of each file of the package, by path. Paths begin with the package's name."""


class NoManifest(UserError):
    """The file given as a manifest cannot be read or is not one."""


class CannotCheck(UserError):
    """A file of the software cannot be read."""


class Libraries(Struct, frozen=True):
    """The installed libraries, with their versions and one hash over all of them."""

    hash: str
    """SHA-256 over the installer's file list of every library. It differs for another version or build of one."""
    versions: dict[str, str]


class SelfCheckReport(Struct, frozen=True, tag_field="check", tag="selfcheck.v1"):
    """The result of a self-check."""

    ok: bool
    version: str
    software: str
    """SHA-256 of the manifest: one hash for all files."""
    files: int
    compared_with: ComparedWith
    changed: list[str]
    missing: list[str]
    added: list[str]
    previous: str | None
    """The software hash of an earlier check, or None if none is known."""
    same_as_previous: bool | None
    rulebooks: list[RulebookCheck]
    libraries: Libraries
    python: str
    sqlite: str


def self_check(
    root: Path = PACKAGE, manifest: FileHashes | None = None, previous: str | None = None
) -> SelfCheckReport:
    """Compare the installed files with the manifest or the installer's list, and settle the known cases.

    ``previous`` is only reported and does not affect ``ok``, because an upgrade changes the hash. A running house
    compares the hash with that of its start.
    """
    found = hash_files(root)
    hash = hash_of(found)
    how, expected = (ComparedWith.GIVEN, manifest) if manifest is not None else installed(root)
    changed = sorted(path for path in found.keys() & expected.keys() if found[path] != expected[path])
    missing = sorted(expected.keys() - found.keys())
    added = sorted(found.keys() - expected.keys()) if how is not ComparedWith.NONE else []
    rulebooks = check_rulebooks(root)
    return SelfCheckReport(
        ok=not (changed or missing or added) and all(rulebook.ok for rulebook in rulebooks),
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


def hash_files(root: Path = PACKAGE) -> dict[str, str]:
    """Hash every file of the package, ordered by the bytes of its path. Compiled files (``.pyc``) are left out."""
    paths = sorted(_files(root), key=lambda path: os.fsencode(path.relative_to(root.parent)))
    try:
        return {path.relative_to(root.parent).as_posix(): _sha256(path) for path in paths}
    except OSError as error:
        raise CannotCheck(f"cannot read the software file '{error.filename}': {error.strerror or error}") from error


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _files(root: Path) -> Iterator[Path]:
    # Symbolic links are followed, because Python also runs linked files.
    for folder, inner, names in os.walk(root, followlinks=True):
        inner[:] = [name for name in inner if name != "__pycache__"]
        paths = (Path(folder) / name for name in names if not name.endswith(".pyc"))
        yield from (path for path in paths if path.is_file())


def format_manifest(files: FileHashes) -> bytes:
    """Return the manifest in the format of ``sha256sum``."""
    return b"".join(f"{hash}  {path}\n".encode() for path, hash in files.items())


def hash_of(files: FileHashes) -> str:
    return hashlib.sha256(format_manifest(files)).hexdigest()


def read_manifest(path: Path) -> dict[str, str]:
    """Read a manifest written by ``format_manifest``."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise NoManifest(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}") from error
    found = [_MANIFEST_LINE.fullmatch(line) for line in lines]
    listed = {match[2]: match[1] for match in found if match is not None}
    if not lines or None in found:
        raise NoManifest(f"'{path}' is not a list of files; 'roundhouse house selfcheck --list' writes one")
    return listed


def installed(root: Path) -> tuple[ComparedWith, dict[str, str]]:
    """Return the hashes that the installer recorded for the package. A source checkout has none."""
    start = f"{root.name}/"
    for record in sorted(root.parent.glob(f"{roundhouse.DISTRIBUTION.replace('-', '_')}-*.dist-info/RECORD")):
        with record.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if len(row) == 3 and row[0].startswith(start)]
        recorded = {path: _hexadecimal(hash) for path, hash, _ in rows if hash.startswith("sha256=")}
        if recorded:
            return ComparedWith.INSTALLED, recorded
    return ComparedWith.NONE, {}


def _hexadecimal(recorded: str) -> str:
    digest = recorded.removeprefix("sha256=")
    return base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4)).hex()


def libraries() -> Libraries:
    """Return the installed distributions other than Roundhouse."""
    found: dict[str, tuple[str, str]] = {}
    for distribution in metadata.distributions():
        # An interrupted installation can leave a distribution without a name. Old versions of Roundhouse were
        # distributed under the name of the package.
        name = re.sub(r"[-_.]+", "-", str(distribution.metadata["Name"] or "")).lower()
        if name not in ("", roundhouse.DISTRIBUTION, PACKAGE.name) and name not in found:
            record = distribution.read_text("RECORD") or ""
            found[name] = distribution.version, hashlib.sha256(record.encode()).hexdigest()
    lines = "".join(f"{name} {version} {hash}\n" for name, (version, hash) in sorted(found.items()))
    versions = {name: version for name, (version, _) in sorted(found.items())}
    return Libraries(hashlib.sha256(lines.encode()).hexdigest(), versions)


def _sqlite() -> str:
    import apsw

    return apsw.sqlite_lib_version()
