"""``roundhouse wheel simulate`` and ``roundhouse wheel health``: a simulated wheel, and tests of a wheel for bias."""

import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from roundhouse.cli.output import console, could_not_write, emit_json, json_option, show_table
from roundhouse.cli.wheel import codes_of, game_options, read_chunks
from roundhouse.rulebooks import UnreadableFile
from roundhouse.rules.game import Game
from roundhouse.wheel.commands import Mode
from roundhouse.wheel.health.bias import Finding, detectable, findings, spins_needed
from roundhouse.wheel.health.record import Record
from roundhouse.wheel.health.report import WheelAlert, acknowledge, alert_reasons, raise_alerts
from roundhouse.wheel.protocol import STATUS_SECONDS
from roundhouse.wheel.simulator.draws import Cable, Chance
from roundhouse.wheel.simulator.machine import Machine
from roundhouse.wheel.simulator.scenario import REGULAR, Frame, Played, Scenario, scenario, scenarios
from roundhouse.wheel.stream import facts

_RATE = click.FloatRange(0, 1)


@click.command()
@game_options
@click.option(
    "--pty", is_flag=True, help="Create a pseudo-terminal for the wheel's line. The wheel then obeys commands."
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    default=1.0,
    metavar="N",
    help="Run N times faster than real time. 0 runs as fast as possible.",
)
@click.option("--irregularities", "rate", type=_RATE, default=0.0, help="Share of games with an irregularity.")
@click.option(
    "--produce",
    multiple=True,
    metavar="NAME",
    help="Produce only this irregularity, such as same_direction. Repeatable.",
)
@click.option("--noise", type=_RATE, default=0.0, help="Share of lines damaged by a bad cable.")
@click.option("--seed", type=int, help="Seed, to repeat a run. Default: random.")
@click.option("--games", "count", type=click.IntRange(min=1), help="Stop after this number of launches of the ball.")
@click.option("--wait", is_flag=True, help="Wait for the command *u 1 before each game (with --pty).")
@click.option("--closed", is_flag=True, help="Stay closed until the command *P 1 (with --pty).")
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    help="Write the true course of each game to this file, one JSON object per launch.",
)
@click.option(
    "--angles",
    type=click.Path(path_type=Path),
    help="Write the angles of ball and rotor over time to this file, one JSON object per frame.",
)
def simulate(
    game: Game,
    chosen: tuple[str, ...],
    pty: bool,
    speed: float,
    rate: float,
    produce: tuple[str, ...],
    noise: float,
    seed: int | None,
    count: int | None,
    wait: bool,
    closed: bool,
    truth: Path | None,
    angles: Path | None,
) -> None:
    """Simulate a wheel. Its line is written to standard output or to a pseudo-terminal."""
    chance = Chance(seed)
    plans = [scenario(game.rulebook, name) for name in produce] or list(scenarios(game.rulebook).values())
    launched = 0
    write_truth, write_angles = _writer(truth), _writer(angles)

    def next_scenario() -> Scenario:
        irregular = chance.happens(rate if rate or not produce else 1.0)
        return plans[chance.below(len(plans))] if irregular else REGULAR

    def played(launch: Played) -> None:
        nonlocal launched
        launched += 1
        if count is None or launched <= count:
            write_truth(launch)

    def over() -> bool:
        return count is not None and launched > count

    def frame(angles: Frame) -> None:
        if not over():
            write_angles(angles)

    # The cable has its own random generator, so that --noise does not change the spins of a seed.
    cable = Cable(noise, Chance(None if seed is None else seed + 1))
    mode = Mode.REVERSE_EACH_GAME | Mode.AUTOMATIC_STATUS | Mode.VARY_SPEED
    if wait and pty:
        mode |= Mode.WAIT_FOR_START
    machine = Machine(
        game.rulebook,
        codes_of(game, chosen),
        chance,
        next_scenario,
        mode,
        played,
        frame if angles else None,
    )
    if not (closed and pty):
        machine.obey(b"*P 1")
    try:
        (_serve if pty else _print)(machine, cable, speed, over)
    except KeyboardInterrupt:
        raise click.Abort from None


def _print(machine: Machine, cable: Cable, speed: float, over: Callable[[], bool]) -> None:
    out = sys.stdout.buffer
    for lines in machine.run():
        if over():
            break
        for line in lines:
            out.write(cable.carry(line))
        if speed:
            out.flush()
            time.sleep(STATUS_SECONDS / speed)
    out.flush()


def _serve(machine: Machine, cable: Cable, speed: float, over: Callable[[], bool]) -> None:
    import asyncio

    from roundhouse.wheel.simulator.port import PseudoTerminal, serve

    terminal = PseudoTerminal()
    click.echo(terminal.path)
    sys.stdout.flush()
    try:
        asyncio.run(serve(machine, terminal, cable, speed or 1e6, over))
    finally:
        terminal.close()


def _writer(path: Path | None) -> Callable[[object], None]:
    """Return a function that appends one JSON line to the file. Without a path, the function discards its argument."""
    if path is None:
        return lambda _: None
    try:
        file = path.open("wb", buffering=1 << 16)
    except OSError as error:
        raise could_not_write(path, error) from error
    context = click.get_current_context()
    context.call_on_close(file.close)
    encode = msgspec.json.Encoder().encode

    def write(value: object) -> None:
        file.write(encode(value) + b"\n")

    return write


_REFERENCE_BIAS = 0.1
"""Bias (0.1 is a pocket 10 % too frequent) for which the number of spins that detect it is reported."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@game_options
@click.option(
    "--alerts", "book", type=click.Path(path_type=Path), help="File that stores the alerts and who acknowledged them."
)
@click.option("--acknowledge", "key", metavar="ALERT", help="Acknowledge this alert. Needs --alerts and --by.")
@click.option("--by", help="Name of the person who acknowledges the alert.")
@json_option
def health(
    file: Path, game: Game, chosen: tuple[str, ...], book: Path | None, key: str | None, by: str | None, as_json: bool
) -> None:
    """Test the spins of a recording for bias, and show the smallest bias that this number of spins can detect."""
    if key and not (book and by):
        raise click.UsageError("--acknowledge needs --alerts FILE and --by NAME")
    record = Record(game.rulebook, codes_of(game, chosen))
    for fact in facts(read_chunks(file), record.codes):
        record.take(fact)
    alerts = _alerts(record, book, key, by)
    if as_json:
        emit_json(_document(record, alerts))
    else:
        _show(record, alerts)


def _alerts(record: Record, book: Path | None, key: str | None, by: str | None) -> tuple[WheelAlert, ...]:
    now = datetime.now(UTC)
    stored = _read(book) if book and book.exists() else ()
    alerts = raise_alerts(stored, alert_reasons(record), now)
    if key and by:
        alerts = acknowledge(alerts, key, by, now)
    if book:
        try:
            book.write_bytes(msgspec.json.format(msgspec.json.encode(alerts)) + b"\n")
        except OSError as error:
            raise could_not_write(book, error) from error
    return alerts


def _read(book: Path) -> tuple[WheelAlert, ...]:
    try:
        return msgspec.json.decode(book.read_bytes(), type=tuple[WheelAlert, ...])
    except (OSError, msgspec.DecodeError) as error:
        raise UnreadableFile(f"cannot read the alerts in '{book}': {error}") from error


def _document(record: Record, alerts: Iterable[WheelAlert]) -> dict[str, object]:
    power = detectable(record.spins, record.segments)
    return {
        "game": record.rulebook.id,
        "spins": record.spins,
        "voids": record.voids,
        "unresolved": record.unresolved,
        "findings": findings(record),
        "power": {
            "statement": str(power),
            "excess": power.excess,
            "spins_for_10_percent": spins_needed(_REFERENCE_BIAS, record.segments),
        },
        "direction": {"turned_about": record.turned_about, "kept": record.kept_direction},
        "seconds_per_game": {share: record.seconds_quantile(float(share)) for share in ("0.05", "0.5", "0.95")},
        "drop_outs": {
            "lines_not_understood": record.not_understood,
            "counter_jumps": record.missed,
            "launches_failed": record.launches_failed,
            "warnings": {str(flag): count for flag, count in sorted(record.flags.items())},
        },
        "alerts": list(alerts),
    }


def _show(record: Record, alerts: Iterable[WheelAlert]) -> None:
    out = console()
    games = f"{record.spins} outcomes, {record.voids} void, {record.unresolved} unresolved"
    columns = ("question", "p-value", "verdict", "finding")
    show_table(f"{record.rulebook.id}: {games}", columns, map(_row, findings(record)))
    out.print(f"{detectable(record.spins, record.segments)};")
    needed = spins_needed(_REFERENCE_BIAS, record.segments)
    out.print(f"{needed:,} spins are needed to detect a pocket that is 10 % too frequent")
    out.print(f"direction: reversed {record.turned_about} times, unchanged {record.kept_direction} times")
    low, middle, high = (record.seconds_quantile(share) for share in (0.05, 0.5, 0.95))
    out.print(f"a game takes {middle} s (90 % of games: {low} to {high} s)")
    out.print(f"{record.not_understood} lines not understood, {record.missed} jumps of the counter, ", end="")
    out.print(f"{record.launches_failed} failed launches")
    for alert in alerts:
        state = "[red]ALERT[/red]" if alert.active else f"acknowledged by {alert.by}"
        out.print(f"{state} {alert.key}: {alert.words}")


def _row(finding: Finding) -> tuple[str, str, str, str]:
    chance = "" if finding.chance is None else f"{finding.chance:.3g}"
    verdict = "[red]suspicious[/red]" if finding.suspicious else "" if finding.chance is None else "nothing unusual"
    return finding.question, chance, verdict, finding.words
