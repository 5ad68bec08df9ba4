"""A game as a terminal needs it: its rulebook, wheel, layouts, packages and odds, all derived, as wire types.

Nothing is decided here, and a terminal that has these decides nothing either: it draws, and adds up.
"""

from collections.abc import Iterator

from roundhouse.rules.authority import may_declare
from roundhouse.rules.game import Game
from roundhouse.rules.names import BetType, Clause, LayoutId, PositionId, StaffPosition
from roundhouse.rules.odds import Odds, odds_of_package, odds_of_position
from roundhouse.rules.packages import Terminal
from roundhouse.server import seen
from roundhouse.server.wire import games as w

_SERIES = "series"


def line_of(game: Game) -> w.GameLine:
    rulebook = game.rulebook
    return w.GameLine(
        rulebook.id,
        rulebook.title,
        rulebook.operator,
        rulebook.version,
        rulebook.effective.isoformat(),
        game.hash,
        tuple(game.layouts),
        tuple(game.terminals),
    )


def sheet_of(game: Game) -> w.GameSheet:
    rulebook, wheel = game.rulebook, game.wheel
    return w.GameSheet(
        id=rulebook.id,
        title=rulebook.title,
        operator=rulebook.operator,
        version=rulebook.version,
        effective=rulebook.effective.isoformat(),
        hash=game.hash,
        wheel=w.WheelSheet(
            wheel.spun, wheel.order, wheel.pockets, dict(wheel.colours), dict(wheel.segments), rulebook.wheel.clause
        ),
        spin=rulebook.spin,
        betting=rulebook.betting,
        settlement=rulebook.settlement,
        irregularities=tuple(_irregularities(game)),
        authority=rulebook.authority,
        common_layout=seen.shares_layout(game),
        layouts=tuple(game.layouts),
        terminals=tuple(_terminal(terminal) for terminal in game.terminals.values()),
        inferred=rulebook.inferred,
        clauses=rulebook.clauses,
    )


def _irregularities(game: Game) -> Iterator[w.IrregularitySheet]:
    rulebook = game.rulebook
    for id, listed in rulebook.irregularities.items():
        by = tuple(position for position in StaffPosition if may_declare(rulebook.authority, listed, position))
        words = rulebook.clauses.get(listed.clause, "")
        yield w.IrregularitySheet(id, listed.clause, words, listed.effect, listed.until, by, listed.effect.voids)


def _terminal(terminal: Terminal) -> w.TerminalSheet:
    plan = terminal.plan
    return w.TerminalSheet(
        plan.id,
        plan.name,
        plan.layout,
        plan.clause,
        tuple(series.id for series in plan.series),
        plan.neighbours,
        plan.finales,
    )


def row_of(game: Game, layout: LayoutId, position: PositionId, kind: BetType) -> Clause:
    """The row of the pay table that prices a position."""
    table = game.rulebook.layouts[layout].pay_table
    row = next((row for row in table.rows if position in row.bets or kind in row.bets), None)
    return Clause(f"{table.clause} / {row.row}") if row else table.clause


def packages_of(terminal: Terminal) -> w.Packages:
    series = {plan.id for plan in terminal.plan.series}
    return w.Packages(
        terminal.plan.id,
        terminal.layout.id,
        tuple(
            w.PackageSheet(
                package.id,
                package.name,
                _SERIES if package.id in series else package.id.partition(":")[0],
                package.clause,
                package.total,
                tuple(w.PieceSheet(piece.position, piece.pieces) for piece in package.pieces),
            )
            for package in terminal.packages
        ),
    )


def odds_of_layout(game: Game, layout: LayoutId) -> w.OddsOfAll:
    positions = game.layouts[layout].positions
    return w.OddsOfAll(tuple(_odds(position.id, odds_of_position(position, game.wheel)) for position in positions))


def odds_of_terminal(terminal: Terminal) -> w.OddsOfAll:
    return w.OddsOfAll(
        tuple(_odds(package.id, odds_of_package(package, terminal.layout)) for package in terminal.packages)
    )


def _odds(id: str, odds: Odds) -> w.OddsSheet:
    return w.OddsSheet(id, odds.staked, str(odds.win), str(odds.edge), str(odds.variance), dict(odds.returns))
