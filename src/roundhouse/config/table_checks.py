"""Checks of the tables and terminals in ``house.toml``."""

from collections.abc import Mapping
from pathlib import Path

from roundhouse import rulebooks
from roundhouse.config.offers import offer_names, unknown_offers
from roundhouse.config.ranges import check_numbers, is_missing
from roundhouse.config.schema import REMEDY, TableConfig, TerminalsConfig, WheelKind, parse_wheel
from roundhouse.rules.errors import Faults, UserError
from roundhouse.rules.game import Game
from roundhouse.table.chips import fault_of_chips
from roundhouse.table.limits import Limits, faults_of
from roundhouse.table.names import PLAY_MONEY, SEAT_NAME, TABLE_NAME, Millis, SeatId, TableId
from roundhouse.wheel.codes import codes_for


def check_table(place: str, table: TableConfig, folder: Path, faults: Faults) -> tuple[Game, bytes] | None:
    """Check a table. Return its game with the content of the rulebook file, or ``None`` if it has none."""
    if is_missing(f"{place}.id", table.id, "the name of the table", faults):
        pass
    elif not TABLE_NAME.fullmatch(table.id):
        remedy = "write up to 60 letters, digits, dots, dashes and underscores; begin with a letter or digit"
        faults.add(f"{place}.id", f"'{table.id}' is not a valid table id", remedy)
    check_numbers(place, table, faults)
    try:
        if parse_wheel(table.wheel).kind is WheelKind.NONE and table.automatic:
            faults.add(f"{place}.automatic", "the automatic dealer needs a wheel", "set 'wheel', or remove 'automatic'")
    except ValueError as error:
        faults.add(f"{place}.wheel", str(error), REMEDY)
    if is_missing(f"{place}.game", table.game, "a game of 'roundhouse game list', or a rulebook file", faults):
        return None
    try:
        path = folder / table.game
        game, content = rulebooks.find_with_content(str(path) if table.game.endswith(".toml") else table.game)
    except UserError as error:
        faults.add(f"{place}.game", str(error), "use a game of 'roundhouse game list', or a valid rulebook file")
        return None
    try:
        codes_for(game.wheel, table.codes)
    except UserError as error:
        faults.add(f"{place}.codes", str(error), "give each pocket a different code of one or two characters")
    return game, content


def check_real_money(place: str, table: TableConfig, currency: str, faults: Faults) -> None:
    """Report a table that would be dealt without a real wheel or without a Dealer, for real money."""
    remedy = f'write currency = "{PLAY_MONEY}" for play money'
    if is_simulated(table.wheel):
        wrong = f"a simulated wheel is for play money, not for {currency}"
        faults.add(f"{place}.wheel", wrong, f'write wheel = "none" or the line of a real wheel, or {remedy}')
    if table.automatic:
        wrong = f"the automatic dealer is for play money; with {currency} a Dealer deals"
        faults.add(f"{place}.automatic", wrong, f"write automatic = false, or {remedy}")


def is_simulated(wheel: str) -> bool:
    """Return whether a table has a simulated wheel."""
    try:
        return parse_wheel(wheel).kind is WheelKind.SIMULATED
    except ValueError:
        return False


def check_terms(place: str, table: TableConfig, game: Game, now: Millis | None, faults: Faults) -> None:
    """Check what a table opens under: rulebook in force, limits, chips and phrases."""
    rulebook, betting = game.rulebook, game.rulebook.betting
    if now is not None and now < rulebook.effective.timestamp() * 1000:
        early = f"the rulebook of {game.id} is not in force before {rulebook.effective.isoformat()}"
        faults.add(f"{place}.game", early, "use a rulebook that is in force, or check the clock of this machine")
    if table.limits is None or table.limits == Limits():
        if not faults.omitted_in(f"{place}.limits"):
            remedy = "add [tables.limits] with seat = { min = …, max = … } and table = …, in minor units"
            faults.add(f"{place}.limits", "a table opens with limits only", remedy)
    elif table.limits.seat.max == Limits().seat.max:
        remedy = "add seat = { min = …, max = … }, in minor units: the smallest bet, and the most of a seat in a round"
        faults.add(f"{place}.limits", "the maximum of a seat is missing", remedy)
    elif wrong := faults_of(table.limits, game.layouts):  # type: ignore[arg-type]
        faults.add(f"{place}.limits", wrong, f"'roundhouse game positions {game.id}' lists what can be limited")
    elif table.limits.table > Limits().table:
        wrong = f"the table limit of {table.limits.table} is more than {Limits().table} cents"
        faults.add(f"{place}.limits", wrong, "write a limit that the table can pay")
    if table.chips and (unfit := fault_of_chips(table.chips)):
        faults.add(f"{place}.chips", unfit, "write values in cents such as [100, 500, 2500, 10000]")
    for name, given, phrases in (
        ("opens_phrase", table.opens_phrase, betting.opens.phrases),
        ("closes_phrase", table.closes_phrase, betting.closes.phrases),
    ):
        if given and given not in phrases:
            known = " or ".join(f'"{phrase}"' for phrase in phrases)
            faults.add(f"{place}.{name}", f"the rules of {game.id} have no phrase '{given}'", f"write {known}")


def check_terminals(
    plans: tuple[TerminalsConfig, ...],
    tables: tuple[TableConfig, ...],
    games: Mapping[TableId, tuple[Game, bytes]],
    faults: Faults,
) -> None:
    known = {table.id for table in tables}
    taken: set[tuple[TableId, SeatId]] = set()
    for i, plan in enumerate(plans):
        place = f"terminals[{i}]"
        if is_missing(f"{place}.table", plan.table, "the id of their table", faults):
            pass
        elif plan.table not in known and not faults.omitted_in("tables"):
            remedy = f"use one of {', '.join(sorted(known))}" if known else "add the table"
            faults.add(f"{place}.table", f"there is no table '{plan.table}'", remedy)
        if is_missing(f"{place}.kind", plan.kind, "a terminal of the game", faults):
            pass
        elif plan.table in games and plan.kind not in games[plan.table][0].terminals:
            remedy = f"use one of {', '.join(games[plan.table][0].terminals)}"
            faults.add(f"{place}.kind", f"the game of {plan.table} has no terminal '{plan.kind}'", remedy)
        elif plan.table in games and plan.offers is not None:
            terminal = games[plan.table][0].terminals[plan.kind]
            for name in unknown_offers(terminal, plan.offers):
                remedy = f"use some of {', '.join(offer_names(terminal))}" if terminal.packages else "remove 'offers'"
                faults.add(f"{place}.offers", f"terminal '{plan.kind}' has no package '{name}'", remedy)
        if not plan.seats and not faults.omitted_in(f"{place}.seats"):
            faults.add(f"{place}.seats", "no seats", 'list the seats, such as ["1", "2", "3"]')
        for seat in plan.seats:
            if (plan.table, seat) in taken:
                remedy = "give every terminal a different seat"
                faults.add(f"{place}.seats", f"seat '{seat}' of '{plan.table}' is listed twice", remedy)
            taken.add((plan.table, seat))
            if not SEAT_NAME.fullmatch(seat) or seat.startswith("guest-"):
                remedy = "write up to 40 letters, digits or any of . _ - and do not begin with guest-"
                faults.add(f"{place}.seats", f"'{seat}' is not a valid seat name", remedy)
