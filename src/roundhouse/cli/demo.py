"""``roundhouse demo``: a round of each game, dealt in the terminal, from the opening words to the last cent."""

import secrets
from collections.abc import Iterator

import click

from roundhouse import rulebooks
from roundhouse.cli.output import console, money, plain
from roundhouse.cli.settle import show_settlement
from roundhouse.rules.game import Game
from roundhouse.rules.judge import Direction, Spin, Valid, Void, judge
from roundhouse.rules.names import Cents, Segment
from roundhouse.rules.packages import Terminal
from roundhouse.rules.rulebook import Moment, Spun
from roundhouse.rules.settlement import Bet

_STAKE = Cents(1000)
_UNIT = Cents(500)


@click.command(short_help="a round of each game")
@click.argument("names", metavar="[GAME]...", nargs=-1)
def demo(names: tuple[str, ...]) -> None:
    """Deal a valid and a void round of each game, or of the games you name, in the terminal."""
    for game in [rulebooks.find(name) for name in names] or rulebooks.games():
        _deal(game)
    out = console()
    out.print("\nNext, in .venv/bin: [bold]roundhouse games[/bold], and then positions, odds or trace with a game.")
    out.print("Each command explains itself with --help.")


def _deal(game: Game) -> None:
    terminal = next(iter(game.terminals.values()))
    slip = list(_slip(terminal))
    betting = game.rulebook.betting
    out = console()
    book = game.rulebook
    out.rule(f"[bold]{plain(book.title)}[/bold], {plain(book.operator)}")
    out.print(plain(f"rulebook {game.id}, version {book.version}, sha256 {game.hash[:16]}…, {terminal.plan.name}"))
    out.print(f"\n[green]“{plain(betting.opens.phrases[0])}”[/green]  (clause {plain(betting.opens.clause)})")
    staked = Cents(sum(bet.stake for bet in slip))
    out.print(f"A player places {len(slip)} bets, {money(staked)} in all")
    when = {
        Moment.BEFORE_SPIN: "before the spin",
        Moment.WHILE_SPINNING: f"while the {game.wheel.spun} is turning",
        Moment.OPERATORS_CHOICE: "when the operator chooses",
    }[betting.closes.moment]
    out.print(f"[red]“{plain(betting.closes.phrases[0])}”[/red]  {when} (clause {plain(betting.closes.moment_clause)})")
    segment = Segment(secrets.randbelow(len(game.wheel.order)))
    _judge_and_settle(game, terminal, slip, _spin(game, segment, game.rulebook.spin.least_revolutions))
    out.print("The next spin falls one revolution short:")
    _judge_and_settle(game, terminal, slip, _spin(game, segment, game.rulebook.spin.least_revolutions - 1))


def _slip(terminal: Terminal) -> Iterator[Bet]:
    """The first position of each type, or every one where there are few, and the first package."""
    positions = terminal.layout.positions
    first = {position.type: position for position in reversed(positions)}
    for position in positions if len(positions) <= len(first) + 9 else reversed(first.values()):
        yield Bet(position.id, _STAKE)
    for piece in terminal.packages[0].pieces if terminal.packages else ():
        yield Bet(piece.position, Cents(piece.pieces * _UNIT))


def _spin(game: Game, segment: Segment, revolutions: int) -> Spin:
    if game.wheel.spun is Spun.WHEEL:
        return Spin(wheel=Direction.CLOCKWISE, revolutions=revolutions, rest=segment)
    rest = game.wheel.at(segment)
    return Spin(ball=Direction.CLOCKWISE, wheel=Direction.ANTICLOCKWISE, revolutions=revolutions, rest=rest)


def _judge_and_settle(game: Game, terminal: Terminal, slip: list[Bet], spin: Spin) -> None:
    out = console()
    turns = f"{spin.revolutions} {'revolution' if spin.revolutions == 1 else 'revolutions'}"
    match judge(game.rulebook, game.wheel, spin):
        case Valid(outcome):
            rule = game.rulebook.spin.clause
            out.print(f"{turns}: a valid spin (clause {rule}), [bold]{outcome}[/bold]\n")
            show_settlement(game.prices(terminal.layout.id).settle(outcome, slip))
        case Void(clauses):
            returned = Cents(sum(bet.stake for bet in slip))
            clause = game.rulebook.settlement.void_returns
            out.print(f"{turns}: [bold]void[/bold] under {', '.join(clauses)}; ", end="")
            out.print(f"{money(returned)} goes back to the player ({clause})\n")
