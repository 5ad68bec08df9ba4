"""Checks of the content of ``house.toml``. All faults of a file are reported together."""

import ipaddress
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import convert

from roundhouse.config.cage_checks import check_cage
from roundhouse.config.money import MoneyConfig, check_money
from roundhouse.config.ranges import check_numbers, is_missing
from roundhouse.config.schema import (
    AlertsConfig,
    BackupConfig,
    CageConfig,
    DisputesConfig,
    FloatConfig,
    HouseSection,
    ListenConfig,
    ProtectionConfig,
    ProxyConfig,
    RequestsConfig,
    RetentionConfig,
    TableConfig,
    TerminalsConfig,
    TlsConfig,
    parse_duration,
)
from roundhouse.config.table_checks import check_real_money, check_table, check_terminals, check_terms, is_simulated
from roundhouse.rules.checks import duplicates
from roundhouse.rules.errors import Faults
from roundhouse.rules.game import Game
from roundhouse.table.names import PLAY_MONEY, Millis, TableId

_DECIMALS = 2
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
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
    tables = section("tables", tuple[TableConfig, ...]) or ()
    plays_for_nothing = any(table.automatic or is_simulated(table.wheel) for table in tables)
    _check_house(house, plays_for_nothing, folder, faults)
    check_numbers("house", house, faults)
    tls, proxy = section("tls", TlsConfig), section("proxy", ProxyConfig)
    _check_listen(section("listen", ListenConfig) or ListenConfig(), "tls" in valid, "proxy" in valid, faults)
    if tls:
        _check_tls(tls, folder, faults)
    if proxy:
        _check_proxy(proxy, faults)
    check_numbers("requests", section("requests", RequestsConfig), faults)
    check_numbers("retention", section("retention", RetentionConfig), faults)
    check_numbers("disputes", section("disputes", DisputesConfig), faults)
    check_numbers("float", section("float", FloatConfig), faults)
    check_numbers("protection", section("protection", ProtectionConfig), faults)
    _check_alerts(section("alerts", AlertsConfig) or AlertsConfig(), faults)
    if backup := section("backup", BackupConfig):
        _check_backup(backup, folder, faults)
    if cage := section("cage", CageConfig):
        check_cage(cage, faults)
    check_money(section("money", MoneyConfig) or MoneyConfig(), faults)
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
            check_real_money(place, table, house.currency, faults)
        if (found := check_table(place, table, folder, faults)) is not None:
            games[table.id] = found
            check_terms(place, table, found[0], now, faults)
    check_terminals(section("terminals", tuple[TerminalsConfig, ...]) or (), tables, games, faults)
    return games


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


def _check_house(house: HouseSection, plays_for_nothing: bool, folder: Path, faults: Faults) -> None:
    if (
        not is_missing("house.name", house.name, "the name that terminals show", faults)
        and not house.name.isprintable()
    ):
        faults.add("house.name", "the name has unprintable characters", "write the name that terminals show")
    if is_missing("house.currency", house.currency, "three letters, such as SGD", faults):
        pass
    else:
        _check_currency(house, plays_for_nothing, faults)
    data = folder / house.data
    if is_missing("house.data", house.data, "the folder for the journal; it is created if missing", faults):
        pass
    elif data.exists() and not data.is_dir():
        faults.add(
            "house.data", f"'{house.data}' is not a folder", "write the path of a folder; it is created if missing"
        )
    elif _is_of_the_kernel(data):
        remedy = "write the path of a folder on a disk; it is created if missing"
        faults.add("house.data", f"'{house.data}' is in a file system of the kernel", remedy)
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


def _check_currency(house: HouseSection, plays_for_nothing: bool, faults: Faults) -> None:
    """Check the currency against ISO 4217. Amounts are in hundredths, so a currency needs two decimals.

    ``plays_for_nothing`` is whether a table has a simulated wheel or an automatic dealer, which no money allows.
    """
    code = house.currency
    if house.play_money and code != PLAY_MONEY:
        remedy = f'write currency = "{PLAY_MONEY}", or remove play_money'
        faults.add("house.play_money", f"a house of play money has no currency, but '{code}' is set", remedy)
    elif code == PLAY_MONEY:
        if not house.play_money and not plays_for_nothing and not faults.omitted_in("house.play_money"):
            remedy = "write play_money = true if this house plays for nothing, else a currency such as SGD"
            faults.add("house.currency", f"'{PLAY_MONEY}' means that there is no money", remedy)
    elif not re.fullmatch("[A-Z]{3}", code):
        faults.add("house.currency", f"'{code}' is not a currency code", "write three capital letters, such as SGD")
    elif (decimals := decimals_of(code)) is None:
        faults.add("house.currency", f"ISO 4217 has no currency '{code}'", "write a code such as SGD or MYR")
    elif decimals != _DECIMALS:
        wrong = f"{code} has {decimals} decimals, but amounts are counted in hundredths"
        faults.add("house.currency", wrong, "use a currency with two decimals")


def decimals_of(currency: str) -> int | None:
    """Return the number of decimals of a currency by ISO 4217; ``None`` if the code is unknown or is no money.

    >>> decimals_of("SGD"), decimals_of("JPY"), decimals_of("XYZ"), decimals_of("XAU")
    (2, 0, None, None)
    """
    # The import reads the whole list, so only a check of a configuration pays for it.
    from iso4217 import Currency

    try:
        return Currency(currency).exponent
    except ValueError:
        return None


def _check_alerts(alerts: AlertsConfig, faults: Faults) -> None:
    check_numbers("alerts", alerts, faults)
    if alerts.webhook:
        try:
            parts = urlsplit(alerts.webhook)
            valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            valid = False
        if not valid or not alerts.webhook.isprintable() or " " in alerts.webhook:
            remedy = "write a URL such as https://alerts.example/house"
            faults.add("alerts.webhook", f"'{alerts.webhook}' is not a URL", remedy)
        elif parts.username or parts.password:
            remedy = "remove it; the journal records these settings. A command can read a secret from its own file"
            faults.add("alerts.webhook", "the URL contains a name or a password", remedy)
    if alerts.command and not Path(alerts.command[0]).is_absolute():
        remedy = 'write the whole path, such as ["/usr/local/bin/page-the-engineer"]'
        faults.add("alerts.command", f"'{alerts.command[0]}' is not an absolute path", remedy)
    elif alerts.command and not os.access(alerts.command[0], os.X_OK):
        faults.add("alerts.command", f"'{alerts.command[0]}' cannot be run", "write the path of a program")


def _check_backup(backup: BackupConfig, folder: Path, faults: Faults) -> None:
    check_numbers("backup", backup, faults)
    if parse_duration(backup.every) is None:
        faults.add("backup.every", f"'{backup.every}' is not a duration", "write one such as 30m, 6h or 1d")
    if not is_missing("backup.folder", backup.folder, "the folder of the backups, best on another disk", faults):
        target = folder / backup.folder
        if target.exists() and not target.is_dir():
            faults.add("backup.folder", f"'{backup.folder}' is not a folder", "write the path of a folder")


def _is_of_the_kernel(folder: Path) -> bool:
    """Return whether a folder is in a file system that keeps no files, such as ``/proc``."""
    path = folder.resolve()
    return any(path.is_relative_to(root) for root in ("/proc", "/sys", "/dev")) and not path.is_relative_to("/dev/shm")


def _is_origin(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        parts.port  # noqa: B018  # raises ValueError if the port is not one
    except ValueError:
        return False
    host = bool(parts.hostname) and "@" not in parts.netloc
    return parts.scheme in ("http", "https") and host and origin == f"{parts.scheme}://{parts.netloc}"


def _check_listen(listen: ListenConfig, tls: bool, proxy: bool, faults: Faults) -> None:
    check_numbers("listen", listen, faults)
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
        if not _is_origin(origin):
            remedy = "write only scheme and host, such as https://house.example"
            faults.add(f"listen.origins[{i}]", f"'{origin}' is not an origin", remedy)


def _check_tls(tls: TlsConfig, folder: Path, faults: Faults) -> None:
    for name in ("certificate", "key"):
        if is_missing(f"tls.{name}", getattr(tls, name), "the path of a PEM file", faults):
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
        elif name == "key" and file.stat().st_mode & _OPEN_TO_OTHERS:
            faults.add("tls.key", f"other users can read or change '{file}'", f"run: chmod 600 {file}")


_OPEN_TO_OTHERS = stat.S_IRWXO | stat.S_IWGRP
_MIN_PREFIX = {4: 8, 6: 16}
"""Smallest prefix of a trusted network. A proxy has one address or some; a shorter prefix trusts much of the world."""
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _check_proxy(proxy: ProxyConfig, faults: Faults) -> None:
    if not proxy.trusted and not faults.omitted_in("proxy.trusted"):
        faults.add("proxy.trusted", "the list is empty", "write the address of the proxy")
    networks: dict[str, Network] = {}
    for i, address in enumerate(proxy.trusted):
        try:
            networks[f"proxy.trusted[{i}]"] = ipaddress.ip_network(address)
        except ValueError:
            remedy = "write an address or a network, such as 10.0.0.5 or 10.0.0.0/24"
            faults.add(f"proxy.trusted[{i}]", f"'{address}' is not an IP address or network", remedy)
    for version, shortest in _MIN_PREFIX.items():
        found = {place: network for place, network in networks.items() if network.version == version}
        # Several networks can together be a larger one.
        for network in ipaddress.collapse_addresses(found.values()):  # type: ignore[type-var]
            if network.prefixlen < shortest:
                place = next(place for place, one in found.items() if one.subnet_of(network))  # type: ignore[arg-type]
                faults.add(place, f"the list trusts every address of {network}", "write the address of the proxy")
