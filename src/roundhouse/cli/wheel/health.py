"""``roundhouse wheel health``: is the wheel fair, as far as these spins can tell, and how far is that."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from roundhouse.cli.output import console, emit_json, json_option, show_table
from roundhouse.cli.wheel.common import codes_of, game_options, pieces
from roundhouse.rulebooks import UnreadableFile
from roundhouse.rules.game import Game
from roundhouse.wheelhead.decoding import facts
from roundhouse.wheelhead.health.alerts import Alert, acknowledge, alarming, raise_alerts
from roundhouse.wheelhead.health.findings import Finding, findings
from roundhouse.wheelhead.health.power import detectable, spins_needed
from roundhouse.wheelhead.health.record import Record

_CITED = 0.1
"""The bias for which the needed number of spins is told."""


@click.command()
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@game_options
@click.option("--alerts", "book", type=click.Path(path_type=Path), help="Where alerts stay until acknowledged.")
@click.option("--acknowledge", "key", metavar="ALERT", help="Acknowledge this alert (with --alerts and --by).")
@click.option("--by", help="Who acknowledges it.")
@json_option
def health(
    file: Path, game: Game, chosen: tuple[str, ...], book: Path | None, key: str | None, by: str | None, as_json: bool
) -> None:
    """Test the spins of a recording for bias, and say what bias could have been seen."""
    if key and not (book and by):
        raise click.UsageError("--acknowledge needs --alerts FILE and --by NAME")
    record = Record(game.rulebook, codes_of(game, chosen))
    for fact in facts(pieces(file), record.codes):
        record.take(fact)
    alerts = _alerts(record, book, key, by)
    if as_json:
        emit_json(_document(record, alerts))
    else:
        _show(record, alerts)


def _alerts(record: Record, book: Path | None, key: str | None, by: str | None) -> tuple[Alert, ...]:
    now = datetime.now(UTC)
    kept = _read(book) if book and book.exists() else ()
    alerts = raise_alerts(kept, alarming(record), now)
    if key and by:
        alerts = acknowledge(alerts, key, by, now)
    if book:
        try:
            book.write_bytes(msgspec.json.format(msgspec.json.encode(alerts)) + b"\n")
        except OSError as error:
            raise UnreadableFile(f"cannot write '{book}': {error.strerror or error}") from error
    return alerts


def _read(book: Path) -> tuple[Alert, ...]:
    try:
        return msgspec.json.decode(book.read_bytes(), type=tuple[Alert, ...])
    except (OSError, msgspec.DecodeError) as error:
        raise UnreadableFile(f"'{book}' is no book of alerts: {error}") from error


def _document(record: Record, alerts: Iterable[Alert]) -> dict[str, object]:
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
            "spins_for_10_percent": spins_needed(_CITED, record.segments),
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


def _show(record: Record, alerts: Iterable[Alert]) -> None:
    out = console()
    games = f"{record.spins} outcomes, {record.voids} void, {record.unresolved} unresolved"
    show_table(f"{record.rulebook.id}: {games}", ("question", "chance", "verdict", "what"), map(_row, findings(record)))
    out.print(f"{detectable(record.spins, record.segments)};")
    out.print(f"a pocket 10 % too frequent needs {spins_needed(_CITED, record.segments):,} spins to be seen so")
    out.print(f"direction: turned about {record.turned_about} times, kept {record.kept_direction} times")
    low, middle, high = (record.seconds_quantile(share) for share in (0.05, 0.5, 0.95))
    out.print(f"a game takes {middle} s (nine in ten: {low} to {high} s)")
    out.print(f"{record.not_understood} lines not understood, {record.missed} jumps of the counter, ", end="")
    out.print(f"{record.launches_failed} failed launches")
    for alert in alerts:
        state = "[red]ALERT[/red]" if alert.stands else f"acknowledged by {alert.by}"
        out.print(f"{state} {alert.key}: {alert.words}")


def _row(finding: Finding) -> tuple[str, str, str, str]:
    chance = "" if finding.chance is None else f"{finding.chance:.3g}"
    verdict = "[red]suspicious[/red]" if finding.suspicious else "" if finding.chance is None else "nothing unusual"
    return finding.question, chance, verdict, finding.words
