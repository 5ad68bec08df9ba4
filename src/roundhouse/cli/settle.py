"""``roundhouse settle``: what a slip of bets gets back for an outcome."""

import re
from collections.abc import Iterable, Iterator

import click

from roundhouse.cli.choosing import NoSuchThing, choose_layout, choose_terminal, game_argument, layout_option
from roundhouse.cli.output import did_you_mean, emit_json, json_option, money, show_table
from roundhouse.rules.game import Game
from roundhouse.rules.layout import Layout
from roundhouse.rules.names import MAX_STAKE_CENTS, Cents, PackageId, Pocket, PositionId
from roundhouse.rules.packages import Terminal
from roundhouse.rules.settlement import Bet, NoSuchBet, Settlement, make_bet

_CENTS = re.compile(r"[1-9][0-9]{0,17}")


@click.command(short_help="what bets get back")
@game_argument
@layout_option
@click.option("--outcome", required=True, metavar="POCKET", help="What the wheel showed, such as 17, 00 or RWS.")
@click.option("--bet", "bets", multiple=True, metavar="POSITION=CENTS", help="A bet; give as many as you like.")
@click.option("--package", "packages", multiple=True, metavar="PACKAGE=CENTS", help="A package; CENTS on each piece.")
@click.option("--terminal", "terminal_id", metavar="T", help="The terminal whose packages these are.")
@json_option
def settle(
    game: Game,
    layout_id: str | None,
    outcome: str,
    bets: tuple[str, ...],
    packages: tuple[str, ...],
    terminal_id: str | None,
    as_json: bool,
) -> None:
    """Settle bets for an outcome, in cents, with the clause that each follows from."""
    terminal = choose_terminal(game, terminal_id) if packages or terminal_id else None
    layout = choose_layout(game, layout_id or (terminal.layout.id if terminal else None))
    if terminal and terminal.layout.id != layout.id:
        raise NoSuchThing(f"terminal {terminal.plan.id} has layout {terminal.layout.id}, not {layout.id}")
    if outcome not in game.wheel.rank:
        raise NoSuchThing(f"the wheel has no '{outcome}'; it has {' '.join(game.wheel.pockets)}")
    slip = [*_bets(layout, bets), *(_pieces(terminal, packages) if terminal else ())]
    if not slip:
        raise NoSuchBet("there is nothing to settle; give at least one --bet POSITION=CENTS")
    settlement = game.prices(layout.id).settle(Pocket(outcome), slip)
    if as_json:
        emit_json(
            {
                "outcome": settlement.outcome,
                "bets": [
                    {
                        "position": settled.bet.position,
                        "stake": settled.bet.stake,
                        "returned": settled.returned,
                        "clause": settled.clause,
                    }
                    for settled in settlement.bets
                ],
                "staked": settlement.staked,
                "returned": settlement.returned,
            }
        )
    else:
        show_settlement(settlement)


def show_settlement(settlement: Settlement) -> None:
    show_table(
        f"Outcome {settlement.outcome}: staked {money(settlement.staked)}, returned {money(settlement.returned)}",
        ("position", "stake", "returned", "clause"),
        (
            (settled.bet.position, money(settled.bet.stake), money(settled.returned), settled.clause)
            for settled in settlement.bets
        ),
        right=("stake", "returned"),
    )


def _bets(layout: Layout, written: Iterable[str]) -> Iterator[Bet]:
    for text in written:
        position, stake = _split(text, "POSITION=CENTS")
        yield make_bet(layout, PositionId(position), stake)


def _pieces(terminal: Terminal, written: Iterable[str]) -> Iterator[Bet]:
    for text in written:
        id, unit = _split(text, "PACKAGE=CENTS")
        if (package := terminal.package(PackageId(id))) is None:
            hint = did_you_mean(id, (package.id for package in terminal.packages))
            raise NoSuchThing(f"terminal {terminal.plan.id} has no package '{id}'{hint}")
        for piece in package.pieces:
            yield make_bet(terminal.layout, piece.position, Cents(piece.pieces * unit))


def _split(text: str, form: str) -> tuple[str, Cents]:
    name, equals, cents = text.partition("=")
    if not equals:
        raise NoSuchBet(f"'{text}' is not of the form {form}")
    if not _CENTS.fullmatch(cents):
        shown = cents if len(cents) <= 20 else f"{cents[:17]}..."
        raise NoSuchBet(f"a stake is a whole number of cents from 1 to {MAX_STAKE_CENTS}, not '{shown}'")
    return name, Cents(int(cents))
