"""Configuration of the demo house, with bet limits derived from what each position pays."""

import hashlib
from collections import defaultdict
from pathlib import Path
from typing import Final

import msgspec

from roundhouse import rulebooks
from roundhouse.config.loading import Configuration, TableGame, wheels_of
from roundhouse.config.schema import CageConfig, Guests, HouseConfig, HouseSection, TableConfig
from roundhouse.rules.game import Game
from roundhouse.rules.names import BetType, Cents, GameId, PositionId, type_of
from roundhouse.table.limits import Bounds, Limits
from roundhouse.table.names import PLAY_MONEY, TableId

MIN_STAKE: Final = Cents(100)
MAX_WIN: Final = Cents(1_000_000)
"""Largest win of one bet. Positions that pay more get a lower maximum stake."""
MAX_OF_A_SEAT: Final = Cents(1_000_000)
MAX_OF_A_TABLE: Final = Cents(10_000_000)
_STEPS: Final = (50, 25, 20, 10)


def limits_for(game: Game) -> Limits:
    """Compute limits for a game: one range per bet type, or per position if a type has several payouts."""
    caps: dict[BetType, dict[PositionId, Cents]] = defaultdict(dict)
    for layout in game.layouts.values():
        for position in layout.positions:
            known = caps[type_of(position.id)]
            cap = min(round_sum(MAX_WIN // position.pays), MAX_OF_A_SEAT)
            known[position.id] = Cents(min(cap, known.get(position.id, cap)))
    types: dict[BetType, Bounds] = {}
    positions: dict[PositionId, Bounds] = {}
    for kind, found in caps.items():
        if len(set(found.values())) == 1:
            types[kind] = Bounds(MIN_STAKE, next(iter(found.values())))
        else:
            positions |= {id: Bounds(MIN_STAKE, cap) for id, cap in found.items()}
    return Limits(types, positions, Bounds(MIN_STAKE, MAX_OF_A_SEAT), MAX_OF_A_TABLE)


def round_sum(cents: int) -> Cents:
    """Round an amount down to a customary table limit, but not below ``MIN_STAKE``.

    >>> [round_sum(cents) for cents in (28_571, 90_909, 125_000, 199_999, 1_000_000, 7)]
    [25000, 50000, 100000, 100000, 1000000, 100]
    """
    tens = 10
    while tens * _STEPS[-1] * 10 <= cents:
        tens *= 10
    return Cents(next((step * tens for step in _STEPS if step * tens <= cents), MIN_STAKE))


def demo_configuration(folder: Path, guests: Guests = Guests.LOOPBACK, speed: float = 1.0) -> Configuration:
    """Build a demo house: one table per available game, simulated wheels, play money and guests."""
    found = [
        rulebooks.read_with_content(path) for path in (*map(rulebooks.shipped, rulebooks.SHIPPED), *rulebooks.custom())
    ]
    wheel = "simulated" if speed == 1.0 else f"simulated:{speed:g}"
    games = {TableId(game.id): TableGame(game, content) for game, content in found}
    tables = tuple(
        TableConfig(id=id, game=GameId(id), wheel=wheel, automatic=True, limits=limits_for(found.game))
        for id, found in games.items()
    )
    plan = HouseConfig(
        house=HouseSection(name="Roundhouse", currency=PLAY_MONEY, play_money=True, data="."),
        cage=CageConfig(),
        tables=tables,
    )
    hash = hashlib.sha256(msgspec.json.encode(plan)).hexdigest()
    return Configuration(plan, folder, games, wheels_of(plan), hash, guests)


def without_tables(folder: Path) -> Configuration:
    """Build a configuration without tables, for commands that only manage staff."""
    plan = HouseConfig(house=HouseSection(name="Roundhouse", currency=PLAY_MONEY, play_money=True, data="."), tables=())
    return Configuration(plan, folder, {}, {}, "")
