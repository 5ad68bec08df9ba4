"""Checks of the content of ``house.toml``. All faults of a file are reported together."""

import ipaddress
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import convert

from roundhouse import rulebooks
from roundhouse.config.offers import offer_names, unknown_offers
from roundhouse.config.schema import (
    REMEDY,
    HouseSection,
    ListenConfig,
    ProxyConfig,
    RequestsConfig,
    RetentionConfig,
    TableConfig,
    TerminalsConfig,
    TlsConfig,
    WheelKind,
    parse_wheel,
)
from roundhouse.rules.checks import duplicates
from roundhouse.rules.errors import Faults, UserError
from roundhouse.rules.game import Game
from roundhouse.table.chips import fault_of_chips
from roundhouse.table.limits import Limits, faults_of
from roundhouse.table.names import PLAY_MONEY, SEAT_NAME, TABLE_NAME, Millis, SeatId, TableId
from roundhouse.wheel.codes import codes_for

_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
_HOUR = 3600
_RANGES = {
    "request_bytes": (1024, 10_000_000),
    "message_bytes": (1024, 1_000_000),
    "connections": (1, 1_000_000),
    "connections_per_address": (1, 1_000_000),
    "requests_per_second": (1, 100_000),
    "log_ins_per_minute": (1, 10_000),
    "silent_seconds": (1, _HOUR),
    "interrupted_seconds": (1, _HOUR),
    "terminal_rounds": (0, 10_000),
    "betting_seconds": (1, _HOUR),
    "look_seconds": (0, _HOUR),
    "pause_seconds": (0, _HOUR),
    "port": (1, 65_535),
    "ticket_days": (1, 3650),
}
"""Smallest and largest value of each numeric key."""

T = TypeVar("T")


def check(
    valid: Mapping[str, Any], folder: Path, faults: Faults, now: Millis | None
) -> dict[TableId, tuple[Game, bytes]]:
    """Check the sections whose structure is valid. Return the game of each table with its rulebook file.

    If ``now`` is given, the rulebooks must be in force at that time.
    """

    def section(name: str, kind: type[T]) -> T | None:
        return convert(valid[name], kind) if name in valid else None

    house = section("house", HouseSection) or HouseSection()
    _check_house(house, folder, faults)
    _check_numbers("house", house, faults)
    tls, proxy = section("tls", TlsConfig), section("proxy", ProxyConfig)
    _check_listen(section("listen", ListenConfig) or ListenConfig(), "tls" in valid, "proxy" in valid, faults)
    if tls:
        _check_tls(tls, folder, faults)
    if proxy:
        _check_proxy(proxy, faults)
    _check_numbers("requests", section("requests", RequestsConfig), faults)
    _check_numbers("retention", section("retention", RetentionConfig), faults)
    tables = section("tables", tuple[TableConfig, ...]) or ()
    if not tables and not faults.omitted_in("tables"):
        faults.add("tables", "no table", "add a [[tables]] with an id and a game")
    games: dict[TableId, tuple[Game, bytes]] = {}
    ids: set[TableId] = set()
    for i, table in enumerate(tables):
        if table.id in ids:
            faults.add(f"tables[{i}].id", f"table '{table.id}' is listed twice", "give every table a different id")
        ids.add(table.id)
        place = f"tables[{i}]"
        if house.currency not in ("", PLAY_MONEY):
            _check_real_money(place, table, house.currency, faults)
        if (found := _check_table(place, table, folder, faults)) is not None:
            games[table.id] = found
            _check_terms(place, table, found[0], now, faults)
    _check_terminals(section("terminals", tuple[TerminalsConfig, ...]) or (), tables, games, faults)
    return games


def _missing(place: str, value: str, wanted: str, faults: Faults) -> bool:
    """Return whether a required value is empty. Report it as missing, unless another fault removed it."""
    if not value.strip() and not faults.omitted_in(place):
        faults.add(place, "missing", f"write {wanted}")
    return not value.strip()


def _check_numbers(place: str, section: object, faults: Faults) -> None:
    for name, (minimum, maximum) in _RANGES.items():
        value = getattr(section, name, None)
        if isinstance(value, int) and not minimum <= value <= maximum:
            faults.add(f"{place}.{name}", f"{value} is out of range", f"write a number from {minimum} to {maximum}")


def _fault_of_witness(place: str) -> str:
    """Describe what is wrong with a value of ``witness``. Empty if nothing is."""
    if not place.strip() or place == "exchange:":
        return "names no witness"
    if "://" not in place:
        return ""
    try:
        url = urlsplit(place)
        # Reading the port raises an error if it is not a port.
        sound = url.scheme in ("http", "https") and url.hostname and not url.query and url.port != 0
        return "" if sound else "is not the address of a witness"
    except ValueError:
        return "is not the address of a witness"


def _check_house(house: HouseSection, folder: Path, faults: Faults) -> None:
    if not _missing("house.name", house.name, "the name that terminals show", faults) and not house.name.isprintable():
        faults.add("house.name", "the name has unprintable characters", "write the name that terminals show")
    if _missing("house.currency", house.currency, "three letters, such as SGD", faults):
        pass
    elif not re.fullmatch("[A-Z]{3}", house.currency):
        faults.add(
            "house.currency", f"'{house.currency}' is not a currency code", "write three capital letters, such as SGD"
        )
    data = folder / house.data
    if _missing("house.data", house.data, "the folder for the journal; it is created if missing", faults):
        pass
    elif data.exists() and not data.is_dir():
        faults.add(
            "house.data", f"'{house.data}' is not a folder", "write the path of a folder; it is created if missing"
        )
    for place in house.witness:
        if wrong := _fault_of_witness(place):
            faults.add(
                "house.witness", f"'{place}' {wrong}", "write local, a folder, https://HOST, exchange:FOLDER or none"
            )
    if house.time_zone != "UTC":
        try:
            ZoneInfo(house.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            remedy = "write UTC or a place such as Asia/Singapore"
            faults.add("house.time_zone", f"there is no time zone '{house.time_zone}'", remedy)
    if not house.shifts or not all(map(_TIME.fullmatch, house.shifts)):
        faults.add(
            "house.shifts", "not a list of times", 'write when each shift begins, such as ["06:00", "14:00", "22:00"]'
        )
    elif duplicates(house.shifts):
        faults.add("house.shifts", "two shifts begin at the same time", "list each time once")


def _check_listen(listen: ListenConfig, tls: bool, proxy: bool, faults: Faults) -> None:
    _check_numbers("listen", listen, faults)
    try:
        loopback = ipaddress.ip_address(listen.address).is_loopback
    except ValueError:
        faults.add("listen.address", f"'{listen.address}' is not an IP address", "write one such as 127.0.0.1 or ::")
        loopback = True
    if tls and proxy:
        faults.add("proxy", "both [tls] and [proxy] are set", "keep the one that terminates TLS, and remove the other")
    if not loopback and not tls and not proxy:
        remedy = "add [tls] with a certificate, or [proxy] with the address of a proxy that terminates TLS"
        faults.add("listen.address", f"'{listen.address}' accepts remote connections without encryption", remedy)
    for i, origin in enumerate(listen.origins):
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or origin != f"{parts.scheme}://{parts.netloc}":
            remedy = "write only scheme and host, such as https://house.example"
            faults.add(f"listen.origins[{i}]", f"'{origin}' is not an origin", remedy)


def _check_tls(tls: TlsConfig, folder: Path, faults: Faults) -> None:
    for name in ("certificate", "key"):
        if _missing(f"tls.{name}", getattr(tls, name), "the path of a PEM file", faults):
            continue
        file = folder / getattr(tls, name)
        try:
            with file.open("rb") as opened:
                pem = b"-----BEGIN " in opened.read(65_536)
        except OSError as error:
            faults.add(
                f"tls.{name}", f"cannot read '{file}': {error.strerror}", "write the path of a readable PEM file"
            )
            continue
        if not pem:
            faults.add(f"tls.{name}", f"'{file}' is not a PEM file", "use a file that contains -----BEGIN …")


def _check_proxy(proxy: ProxyConfig, faults: Faults) -> None:
    if not proxy.trusted and not faults.omitted_in("proxy.trusted"):
        faults.add("proxy.trusted", "the list is empty", "write the address of the proxy")
    for i, address in enumerate(proxy.trusted):
        try:
            network = ipaddress.ip_network(address)
        except ValueError:
            remedy = "write an address or a network, such as 10.0.0.5 or 10.0.0.0/24"
            faults.add(f"proxy.trusted[{i}]", f"'{address}' is not an IP address or network", remedy)
            continue
        if network.prefixlen == 0:
            faults.add(f"proxy.trusted[{i}]", f"'{address}' trusts every address", "write the address of the proxy")


def _check_table(place: str, table: TableConfig, folder: Path, faults: Faults) -> tuple[Game, bytes] | None:
    if _missing(f"{place}.id", table.id, "the name of the table", faults):
        pass
    elif not TABLE_NAME.fullmatch(table.id):
        remedy = "write up to 60 letters, digits, dots, dashes and underscores; begin with a letter or digit"
        faults.add(f"{place}.id", f"'{table.id}' is not a valid table id", remedy)
    _check_numbers(place, table, faults)
    try:
        if parse_wheel(table.wheel).kind is WheelKind.NONE and table.automatic:
            faults.add(f"{place}.automatic", "the automatic dealer needs a wheel", "set 'wheel', or remove 'automatic'")
    except ValueError as error:
        faults.add(f"{place}.wheel", str(error), REMEDY)
    if _missing(f"{place}.game", table.game, "a game of 'roundhouse game list', or a rulebook file", faults):
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


def _check_real_money(place: str, table: TableConfig, currency: str, faults: Faults) -> None:
    """Report a table that would be dealt without a real wheel or without a Dealer, for real money."""
    remedy = f'write currency = "{PLAY_MONEY}" for play money'
    if _is_simulated(table.wheel):
        wrong = f"a simulated wheel is for play money, not for {currency}"
        faults.add(f"{place}.wheel", wrong, f'write wheel = "none" or the line of a real wheel, or {remedy}')
    if table.automatic:
        wrong = f"the automatic dealer is for play money; with {currency} a Dealer deals"
        faults.add(f"{place}.automatic", wrong, f"write automatic = false, or {remedy}")


def _is_simulated(wheel: str) -> bool:
    try:
        return parse_wheel(wheel).kind is WheelKind.SIMULATED
    except ValueError:
        return False


def _check_terms(place: str, table: TableConfig, game: Game, now: Millis | None, faults: Faults) -> None:
    """Check what a table opens under: rulebook in force, limits, chips and phrases."""
    rulebook, betting = game.rulebook, game.rulebook.betting
    if now is not None and now < rulebook.effective.timestamp() * 1000:
        early = f"the rulebook of {game.id} is not in force before {rulebook.effective.isoformat()}"
        faults.add(f"{place}.game", early, "use a rulebook that is in force, or check the clock of this machine")
    if table.limits is None or table.limits == Limits():
        if not faults.omitted_in(f"{place}.limits"):
            remedy = "add [tables.limits] with seat = { min = …, max = … } and table = …, in cents"
            faults.add(f"{place}.limits", "a table opens with limits only", remedy)
    elif table.limits.seat.max == Limits().seat.max:
        remedy = "add seat = { min = …, max = … }, in cents: the smallest bet, and the most of a seat in a round"
        faults.add(f"{place}.limits", "the maximum of a seat is missing", remedy)
    elif wrong := faults_of(table.limits, game.layouts):  # type: ignore[arg-type]
        faults.add(f"{place}.limits", wrong, f"'roundhouse game positions {game.id}' lists what can be limited")
    if table.chips and (unfit := fault_of_chips(table.chips)):
        faults.add(f"{place}.chips", unfit, "write values in cents such as [100, 500, 2500, 10000]")
    for name, given, phrases in (
        ("opens_phrase", table.opens_phrase, betting.opens.phrases),
        ("closes_phrase", table.closes_phrase, betting.closes.phrases),
    ):
        if given and given not in phrases:
            known = " or ".join(f'"{phrase}"' for phrase in phrases)
            faults.add(f"{place}.{name}", f"the rules of {game.id} have no phrase '{given}'", f"write {known}")


def _check_terminals(
    plans: tuple[TerminalsConfig, ...],
    tables: tuple[TableConfig, ...],
    games: Mapping[TableId, tuple[Game, bytes]],
    faults: Faults,
) -> None:
    known = {table.id for table in tables}
    taken: set[tuple[TableId, SeatId]] = set()
    for i, plan in enumerate(plans):
        place = f"terminals[{i}]"
        if _missing(f"{place}.table", plan.table, "the id of their table", faults):
            pass
        elif plan.table not in known and not faults.omitted_in("tables"):
            remedy = f"use one of {', '.join(sorted(known))}" if known else "add the table"
            faults.add(f"{place}.table", f"there is no table '{plan.table}'", remedy)
        if _missing(f"{place}.kind", plan.kind, "a terminal of the game", faults):
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
