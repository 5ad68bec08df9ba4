"""Known settlements: a few cases of each shipped rulebook, worked out by hand, that the software must come to.

A rulebook that is not the one whose hash was written down is named; its cases are tried all the same.
"""

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from roundhouse.rules.faults import UnsoundRulebook
from roundhouse.rules.game import Game
from roundhouse.rules.loading import load
from roundhouse.rules.names import Cents, GameId, LayoutId, Pocket, PositionId
from roundhouse.rules.settlement import Bet

_CASES = Path(__file__).with_name("known_settlements.toml")


class Case(Struct, frozen=True, forbid_unknown_fields=True):
    """The same stake on each position, and what each gets back, in cents."""

    game: GameId
    layout: LayoutId
    outcome: Pocket
    stake: Cents
    returned: dict[PositionId, Cents]


class _Cases(Struct, frozen=True, forbid_unknown_fields=True):
    settlement: list[Case]


class Tried(Struct, frozen=True):
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


def try_rulebooks(root: Path) -> list[Tried]:
    """Every rulebook that lies in the package, or should."""
    folder = root / "rulebooks"
    try:
        lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        lines = []
    listed = {name: hash for hash, _, name in (line.partition("  ") for line in lines)}
    names = sorted({*listed, *(path.name for path in folder.glob("*.toml"))})
    return [_tried(folder / name, listed.get(name)) for name in names]


def _tried(path: Path, expected: str | None) -> Tried:
    try:
        content = path.read_bytes()
    except OSError as error:
        return Tried(path.name, False, "", expected, 0, [f"cannot be read: {error.strerror or error}"])
    hash = hashlib.sha256(content).hexdigest()
    try:
        game = load(content)
    except UnsoundRulebook as unsound:
        return Tried(path.name, False, hash, expected, 0, [f"is not sound: {unsound}"])
    cases = [case for case in known_cases() if case.game == game.id]
    wrong = [words for case in cases for words in wrong_in(case, game)]
    tried = sum(len(case.returned) for case in cases)
    return Tried(path.name, hash == expected and not wrong, hash, expected, tried, wrong)


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
