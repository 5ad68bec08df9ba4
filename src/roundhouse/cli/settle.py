"""``roundhouse game settle`` and ``roundhouse game judge``: settle bets, and judge whether a spin is valid."""

import sys

import click
import msgspec

from roundhouse.cli.options import NoSuchThing, game_argument, read_bets, slip_options
from roundhouse.cli.output import console, emit_json, json_option, show_table
from roundhouse.rules import judge as rules
from roundhouse.rules.game import Game
from roundhouse.rules.names import Pocket, format_amount
from roundhouse.rules.settlement import NoSuchBet, Settlement


@click.command()
@game_argument
@slip_options
@click.option("--outcome", required=True, metavar="POCKET", help="Outcome of the wheel, such as 17, 00 or RWS.")
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
    """Settle bets for an outcome: show the amount that each bet returns, and the clause that decides it."""
    layout, slip = read_bets(game, layout_id, bets, packages, terminal_id)
    if outcome not in game.wheel.rank:
        raise NoSuchThing(f"the wheel has no outcome '{outcome}'; it has {' '.join(game.wheel.pockets)}")
    if not slip:
        raise NoSuchBet("there are no bets to settle; give at least one --bet POSITION=CENTS")
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
    staked, returned = format_amount(settlement.staked), format_amount(settlement.returned)
    show_table(
        f"Outcome {settlement.outcome}: staked {staked}, returned {returned}",
        ("position", "stake", "returned", "clause"),
        (
            (settled.bet.position, format_amount(settled.bet.stake), format_amount(settled.returned), settled.clause)
            for settled in settlement.bets
        ),
        right=("stake", "returned"),
    )


@click.command()
@game_argument
@json_option
def judge(game: Game, as_json: bool) -> None:
    """Judge a spin: valid with an outcome, or void under named clauses. Reads one JSON object from standard input.

    In a game with a ball, "rest" is the pocket, or null if the ball did not come to rest in one:

    {"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 4, "rest": "17", "seen": []}

    On a money wheel, "rest" is the segment under the clapper, counted from 0 in the order of `roundhouse game list`:

    {"wheel": "clockwise", "revolutions": 3, "rest": 51, "seen": []}
    """
    if sys.stdin is not None and sys.stdin.isatty():
        click.echo("Type the spin as one JSON object, then press Ctrl-D.", err=True)
    spin = _read_spin(sys.stdin.buffer.read() if sys.stdin is not None else b"")
    verdict = rules.judge(game.rulebook, game.wheel, spin)
    if as_json:
        emit_json(verdict)
        return
    out = console()
    match verdict:
        case rules.Valid(outcome):
            rule = game.rulebook.spin
            out.print(f"[bold]valid[/bold], outcome {outcome} (clauses {rule.clause}, {rule.result})")
        case rules.Void(clauses):
            out.print("[bold]void[/bold]")
            for clause in clauses:
                out.print(f"  {clause}  {game.rulebook.clauses[clause]}", markup=False)
    for irregularity in rules.without_effect(game.rulebook, spin):
        out.print(f"  '{irregularity}' was seen but has no effect under these rules")


def _read_spin(text: bytes) -> rules.Spin:
    try:
        return msgspec.json.decode(text, type=rules.Spin)
    except msgspec.ValidationError as error:
        raise rules.Misreported(f"the spin on standard input: {error}") from error
    except msgspec.DecodeError as error:
        raise rules.Misreported(f"standard input is not one JSON object that describes a spin: {error}") from error
