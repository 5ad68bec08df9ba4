"""``roundhouse settle``: what a slip of bets gets back for an outcome."""

import click

from roundhouse.cli.choosing import NoSuchThing, game_argument
from roundhouse.cli.output import emit_json, json_option, money, show_table
from roundhouse.cli.slips import read_bets, slip_options
from roundhouse.rules.game import Game
from roundhouse.rules.names import Pocket
from roundhouse.rules.settlement import NoSuchBet, Settlement


@click.command(short_help="what bets get back")
@game_argument
@slip_options
@click.option("--outcome", required=True, metavar="POCKET", help="What the wheel showed, such as 17, 00 or RWS.")
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
    layout, slip = read_bets(game, layout_id, bets, packages, terminal_id)
    if outcome not in game.wheel.rank:
        raise NoSuchThing(f"the wheel has no '{outcome}'; it has {' '.join(game.wheel.pockets)}")
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
