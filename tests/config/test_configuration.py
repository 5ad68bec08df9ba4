"""The configuration file house.toml: all faults of a file at once, the file of ``init``, and the demo of ``play``."""

from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from roundhouse import rulebooks
from roundhouse.config import schema as plans
from roundhouse.config.demo import demo_configuration, limits_for
from roundhouse.config.loading import CannotRead, InvalidConfiguration, parse, read
from roundhouse.config.ranges import RANGES
from roundhouse.config.schema import Guests, WheelKind, parse_wheel
from roundhouse.rules.errors import Fault
from roundhouse.rules.names import Cents, TerminalId
from roundhouse.table import limits as table_limits
from roundhouse.table.names import Millis, SeatId, TableId
from tests.support.houses import HOUSE_TOML, ROULETTE

ROOT = Path(__file__).parents[2]


def faults_of(text: str, folder: Path = Path()) -> tuple[Fault, ...]:
    try:
        parse(text.encode(), folder / "house.toml")
    except InvalidConfiguration as unsound:
        return unsound.faults
    return ()


# Text in the file that init writes · its replacement · the reported place · part of the message.
CASES = [
    ("[house]", "[hause]", "hause", "unknown key"),
    ('name = "My House"', "", "house.name", "missing"),
    ('name = "My House"', 'name = " "', "house.name", "missing"),
    ('name = "My House"', "name = 7", "house.name", "not text"),
    ('currency = "SGD"', 'currency = "sgd"', "house.currency", "not a currency code"),
    ('data = "data"', 'data = ""', "house.data", "missing"),
    ('data = "data"', 'data = "pyproject.toml"', "house.data", "not a folder"),
    ('data = "data"', 'data = "/proc/self"', "house.data", "file system of the kernel"),
    ('data = "data"', 'data = "/sys/../proc/self"', "house.data", "file system of the kernel"),
    ('time_zone = "UTC"', 'time_zone = "Mars/Olympus"', "house.time_zone", "no time zone"),
    ('time_zone = "UTC"', 'time_zone = "../x"', "house.time_zone", "no time zone"),
    ('"14:00"', '"24:00"', "house.shifts", "not a list of times"),
    ('"14:00"', '"06:00"', "house.shifts", "the same time"),
    ('shifts = ["06:00", "14:00", "22:00"]', "shifts = []", "house.shifts", "not a list of times"),
    ('address = "127.0.0.1"', 'address = "localhost"', "listen.address", "not an IP address"),
    ('address = "127.0.0.1"', 'address = "0.0.0.0"', "listen.address", "without encryption"),
    ("port = 8080", "port = 70000", "listen.port", "out of range"),
    ("port = 8080", 'port = "8080"', "listen.port", "whole number"),
    ("port = 8080", "port = true", "listen.port", "whole number"),
    ("port = 8080", 'port = 8080\norigins = ["https://x/page"]', "listen.origins[0]", "not an origin"),
    ("port = 8080", 'port = 8080\norigins = ["http://["]', "listen.origins[0]", "not an origin"),
    ("port = 8080", 'port = 8080\norigins = ["https://house:port"]', "listen.origins[0]", "not an origin"),
    ("port = 8080", 'port = 8080\norigins = ["https://me@house"]', "listen.origins[0]", "not an origin"),
    ("# [tls]\n# certificate", "[tls]\ncertificate", "tls.key", "missing"),
    ("# [tls]\n# certificate", '[tls]\nkey = "pyproject.toml"\ncertificate', "tls.key", "not a PEM file"),
    ("# [tls]\n# certificate", '[tls]\nkey = "pyproject.toml"\ncertificate', "tls.certificate", "cannot read"),
    ("# [proxy]", '[proxy]\ntrusted = []\n#', "proxy.trusted", "list is empty"),
    ("# [proxy]", '[proxy]\ntrusted = ["proxy"]\n#', "proxy.trusted[0]", "not an IP address or network"),
    ("# [proxy]", '[proxy]\ntrusted = ["0.0.0.0/0"]\n#', "proxy.trusted[0]", "trusts every address"),
    ("# [proxy]", '[proxy]\ntrusted = ["::1", "::/1", "8000::/1"]\n#', "proxy.trusted[0]", "trusts every address"),
    ("# [proxy]", '[proxy]\ntrusted = ["0.0.0.0/1", "128.0.0.0/1"]\n#', "proxy.trusted[0]", "of 0.0.0.0/0"),
    ("# [proxy]", '[tls]\ncertificate = "x"\nkey = "y"\n[proxy]\ntrusted = ["::1"]\n#', "proxy", "both"),
    ("request_bytes = 65536", "request_bytes = 1", "requests.request_bytes", "out of range"),
    ("message_bytes = 16384", "message_bytes = 0", "requests.message_bytes", "out of range"),
    ("connections = 20000", "connections = 0", "requests.connections", "out of range"),
    ("log_ins_per_minute = 10", "log_ins_per_minute = 0", "requests.log_ins_per_minute", "out of range"),
    ("silent_seconds = 10", "silent_seconds = -1", "requests.silent_seconds", "out of range"),
    ("terminal_rounds = 50", "terminal_rounds = -1", "retention.terminal_rounds", "out of range"),
    ("terminal_rounds = 50", "terminal_round = 50", "retention.terminal_round", "did you mean"),
    ('id = "roulette-1"', 'id = "@house"', "tables[0].id", "not a valid table id"),
    ('game = "rws-double-zero"', 'game = "rws-zero"', "tables[0].game", "no game"),
    ('game = "rws-double-zero"', 'game = "pyproject.toml"', "tables[0].game", "faults"),
    ('game = "rws-double-zero"', 'game = "missing.toml"', "tables[0].game", "cannot read"),
    ('game = "rws-double-zero"', "", "tables[0].game", "missing"),
    ('wheel = "none"', 'wheel = "simulated:0"', "tables[0].wheel", "is not a number from"),
    ('wheel = "none"', 'wheel = "simulated:fast"', "tables[0].wheel", "is not a number from"),
    ('wheel = "none"', 'wheel = "tcp://wheel"', "tables[0].wheel", "is not a wheel"),
    ('wheel = "none"', 'wheel = "tcp://wheel:99999"', "tables[0].wheel", "is not a wheel"),
    ("automatic = false", "automatic = true", "tables[0].automatic", "needs a wheel"),
    ('wheel = "none"', 'wheel = "simulated:50"', "tables[0].wheel", "for play money, not for SGD"),
    ("automatic = false", "automatic = true", "tables[0].automatic", "with SGD a Dealer deals"),
    ("pause_seconds = 4", "pause_seconds = 4\nchips = [200, 500]", "tables[0].chips", "a multiple of the smallest"),
    ("pause_seconds = 4", "pause_seconds = 4\nchips = [500, 100]", "tables[0].chips", "the smallest first"),
    ("pause_seconds = 4", 'pause_seconds = 4\nopens_phrase = "Go"', "tables[0].opens_phrase", "Place your bets"),
    ("pause_seconds = 4", 'pause_seconds = 4\ncloses_phrase = "Stop"', "tables[0].closes_phrase", "No More Bets"),
    ("bill_acceptor = false", 'offers = ["bingo"]', "terminals[0].offers", "has no package 'bingo'"),
    ("interrupted_seconds = 5", "interrupted_seconds = 0", "requests.interrupted_seconds", "out of range"),
    ("automatic = false", 'automatic = "no"', "tables[0].automatic", "true or false"),
    ("betting_seconds = 20", "betting_seconds = 0", "tables[0].betting_seconds", "out of range"),
    ("pause_seconds = 4", "pause_seconds = 4.5", "tables[0].pause_seconds", "whole number"),
    ('# [tables.codes]\n# 000 = "37"', '[tables.codes]\n000 = "37"', "tables[0].codes", "no place"),
    ('# [tables.codes]\n# 000 = "37"', '[tables.codes]\n00 = " 0"', "tables[0].codes", "the same code"),
    ("straight = {", "strait = {", "tables[0].limits", "no bet type or position strait"),
    ("table = 50000000", "table = 10000000000000000000000", "tables[0].limits", "more than"),
    ("table = 50000000", "table = 0", "tables[0].limits", "more than 0"),
    ("seat = { min = 100, max = 5000000 }", "seat = { min = 9, max = 5 }", "tables[0].limits", "min ≤ max"),
    ("seat = { min = 100, max = 5000000 }", "seat = { min = 100 }", "tables[0].limits", "maximum of a seat is missing"),
    ("seat = { min = 100, max = 5000000 }", "", "tables[0].limits", "maximum of a seat is missing"),
    ('table = "roulette-1"', 'table = "roulette-2"', "terminals[0].table", "no table"),
    ('kind = "rapid-a"', 'kind = "racetrack"', "terminals[0].kind", "no terminal"),
    ('"1", "2", "3", "4", "5", "6"', "", "terminals[0].seats", "no seats"),
    ('"1", "2"', '"a b", "2"', "terminals[0].seats", "not a valid seat name"),
    ('"1", "2"', '"guest-1", "2"', "terminals[0].seats", "not a valid seat name"),
    ('"1", "2"', '"2", "2"', "terminals[0].seats", "is listed twice"),
    ("bill_acceptor = false", "bill_acceptor = 1", "terminals[0].bill_acceptor", "true or false"),
]  # fmt: skip


INDEPENDENT = [
    "house.name", "house.currency", "house.data", "house.time_zone", "house.shifts", "listen.address", "listen.port",
    "proxy.trusted", "requests.request_bytes", "requests.message_bytes", "tables[0].wheel",
    "tables[0].betting_seconds", "tables[0].pause_seconds", "tables[0].codes", "tables[0].limits",
    "terminals[0].kind", "terminals[0].seats", "terminals[0].bill_acceptor",
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "wrong"), CASES)
def test_a_fault_is_reported_with_its_place_and_a_remedy(old: str, new: str, place: str, wrong: str) -> None:
    assert old in HOUSE_TOML
    found = faults_of(HOUSE_TOML.replace(old, new, 1), ROOT)
    matching = [fault for fault in found if fault.place == place]
    assert matching, found
    assert any(wrong in f"{fault.wrong} {fault.remedy}" for fault in matching), matching
    assert all(fault.remedy and fault.line for fault in matching), matching


@pytest.mark.parametrize("limits", ["", "limits = {}\n"])
def test_a_table_without_limits_is_a_fault(limits: str) -> None:
    text = HOUSE_TOML[: HOUSE_TOML.index("# Two-character codes")] + limits
    (fault,) = faults_of(text)
    assert (fault.place, fault.wrong) == ("tables[0].limits", "a table opens with limits only")


@pytest.mark.parametrize(("wheel", "extra"), [("simulated", ""), ("none", "play_money = true\n")])
def test_no_currency_needs_a_sign_of_play_money(wheel: str, extra: str) -> None:
    """A simulated wheel, an automatic dealer or ``play_money`` says that the house plays for nothing."""
    text = HOUSE_TOML.replace('"SGD"\n', f'"XXX"\n{extra}').replace('wheel = "none"', f'wheel = "{wheel}"')
    assert faults_of(text) == ()
    (fault,) = faults_of(HOUSE_TOML.replace('"SGD"', '"XXX"'))
    assert (fault.place, "there is no money" in fault.wrong) == ("house.currency", True)


def test_play_money_needs_no_dealer() -> None:
    text = HOUSE_TOML.replace('"SGD"', '"XXX"\nplay_money = true').replace('wheel = "none"', 'wheel = "simulated"')
    assert faults_of(text.replace("automatic = false", "automatic = true")) == ()


@pytest.mark.parametrize("game", rulebooks.SHIPPED)
def test_a_rulebook_is_refused_before_the_instant_from_which_it_is_in_force(game: str) -> None:
    limits = "[tables.limits]\nseat = { min = 100, max = 10000 }\n"
    house = '[house]\nname = "X"\ncurrency = "SGD"\ndata = "data"\n'
    text = f'{house}[[tables]]\nid = "a"\ngame = "{game}"\n{limits}'.encode()
    since = int(rulebooks.find(game).rulebook.effective.timestamp() * 1000)
    with pytest.raises(InvalidConfiguration) as raised:
        parse(text, Path("house.toml"), now=Millis(since - 1))
    (fault,) = raised.value.faults
    assert (fault.place, "is not in force before" in fault.wrong) == ("tables[0].game", True)
    assert parse(text, Path("house.toml"), now=Millis(since)).plan.tables


def test_a_terminal_offers_the_packages_that_its_configuration_names() -> None:
    """Names are ids of packages or of groups; without ``offers`` a terminal offers all packages of its type."""
    assert parse(HOUSE_TOML.encode(), Path("house.toml")).offers_at(ROULETTE) == {}
    text = HOUSE_TOML.replace("bill_acceptor = false", 'offers = ["finales", "tiers"]')
    offers = parse(text.encode(), Path("house.toml")).offers_at(ROULETTE)
    assert set(offers) == set(map(SeatId, "123456"))
    finales = {package.id for package in rulebooks.find("rws-double-zero").terminals[TerminalId("rapid-a")].packages}
    expected = {id for id in finales if id == "tiers" or id.startswith("finales:")}
    assert set(offers[SeatId("1")]) == expected
    assert len(expected) > 10
    none = parse(HOUSE_TOML.replace("bill_acceptor = false", "offers = []").encode(), Path("house.toml"))
    assert none.offers_at(ROULETTE)[SeatId("1")] == ()


def test_duplicate_tables_and_a_file_without_tables_are_faults() -> None:
    limits = "[tables.limits]\nseat = { min = 100, max = 10000 }\n"
    table = f'[[tables]]\nid = "a"\ngame = "mbs-sands"\n{limits}'
    house = '[house]\nname = "X"\ncurrency = "SGD"\ndata = "data"\n'
    assert [fault.wrong for fault in faults_of(house + table + table)] == ["table 'a' is listed twice"]
    assert [fault.wrong for fault in faults_of("tables = []\n" + house)] == ["no table"]
    assert [fault.place for fault in faults_of(house)] == ["tables"]
    assert faults_of(house + table) == ()


def test_all_faults_are_reported_at_once_in_file_order() -> None:
    """Put many independent faults in one file: none hides another."""
    text = HOUSE_TOML
    first = {place: (old, new) for old, new, place, _ in reversed(CASES)}
    for old, new in map(first.__getitem__, INDEPENDENT):
        assert old in text, old
        text = text.replace(old, new, 1)
    found = faults_of(text, ROOT)
    assert sorted(fault.place for fault in found) == sorted(INDEPENDENT)
    lines = [fault.line or 0 for fault in found]
    assert lines == sorted(lines)
    with pytest.raises(InvalidConfiguration) as raised:
        parse(text.encode(), ROOT / "house.toml")
    assert all(str(fault) in str(raised.value) for fault in found), "one message names them all"


@pytest.mark.parametrize("content", [b"[house", b"\xff\xfe", b"a = 1\na = 2", b"[" * 5000])
def test_a_file_that_is_not_toml_is_one_fault(content: bytes) -> None:
    with pytest.raises(InvalidConfiguration) as raised:
        parse(content, Path("house.toml"))
    assert len(raised.value.faults) == 1


def test_a_missing_file_is_reported_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(CannotRead, match=r"cannot read .*house\.toml"):
        read(tmp_path / "house.toml")


def test_the_file_of_init_is_valid_and_lists_every_setting() -> None:
    assert faults_of(HOUSE_TOML) == ()
    sections = [
        kind
        for kind in vars(plans).values()
        if isinstance(kind, type) and issubclass(kind, Struct) and kind is not plans.WheelSpec
    ]
    keys = {field.name for kind in sections for field in msgspec.structs.fields(kind)}
    assert len(keys) > 40
    lines = [line.lstrip("# ") for line in HOUSE_TOML.splitlines()]
    named = {line.split("=")[0].strip(" []") for line in lines} | {line.strip("[]").split(".")[-1] for line in lines}
    assert keys <= named, keys - named


def test_the_file_of_init_contains_the_defaults() -> None:
    config = parse(HOUSE_TOML.encode(), Path("house.toml")).plan
    for name in ("listen", "requests", "retention"):
        assert getattr(config, name) == type(getattr(config, name))()
    table = msgspec.structs.replace(config.tables[0], limits=None)
    assert table == plans.TableConfig(id=table.id, game=table.game)


def test_every_numeric_setting_has_a_range() -> None:
    sections = (
        plans.HouseSection,
        plans.ListenConfig,
        plans.RequestsConfig,
        plans.RetentionConfig,
        plans.AlertsConfig,
        plans.BackupConfig,
        plans.DisputesConfig,
        plans.FloatConfig,
        plans.ProtectionConfig,
        plans.TableConfig,
    )
    numbers = {field.name for kind in sections for field in msgspec.structs.fields(kind) if field.type in (int, Cents)}
    assert numbers == set(RANGES)


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "mine.toml").write_bytes((ROOT / "tests/rulebooks/single-zero.toml").read_bytes())
    text = HOUSE_TOML.replace('"rws-double-zero"', '"games/mine.toml"').replace("rapid-a", "table")
    (tmp_path / "house.toml").write_text(text)
    found = read(tmp_path / "house.toml")
    assert found.games[ROULETTE].game.id == "single-zero"
    assert found.games[ROULETTE].content == (tmp_path / "games" / "mine.toml").read_bytes()
    assert found.journal == tmp_path / "data" / "house.db"


def test_a_public_address_needs_a_proxy_or_a_certificate(tmp_path: Path) -> None:
    outside = HOUSE_TOML.replace('address = "127.0.0.1"', 'address = "::"')
    assert len(faults_of(outside)) == 1
    assert faults_of(outside.replace("# [proxy]\n# trusted", "[proxy]\ntrusted")) == ()
    for name in ("certificate.pem", "key.pem"):
        (tmp_path / name).write_text("-----BEGIN SOMETHING-----\n")
        (tmp_path / name).chmod(0o600)
    tls = outside.replace("# [tls]\n# certificate", "[tls]\ncertificate").replace(
        '# key = "key.pem"', 'key = "key.pem"'
    )
    assert faults_of(tls, tmp_path) == ()
    (tmp_path / "certificate.pem").chmod(0o644)
    assert faults_of(tls, tmp_path) == ()
    for mode in (0o644, 0o604, 0o602, 0o620):
        (tmp_path / "key.pem").chmod(mode)
        (fault,) = faults_of(tls, tmp_path)
        assert (fault.place, "other users" in fault.wrong) == ("tls.key", True)
    (tmp_path / "key.pem").chmod(0o640)
    assert faults_of(tls, tmp_path) == (), "the group of the file may read the key"


@pytest.mark.parametrize(
    ("text", "kind", "speed"),
    [
        ("none", WheelKind.NONE, 1.0),
        ("simulated", WheelKind.SIMULATED, 1.0),
        ("simulated:0.5", WheelKind.SIMULATED, 0.5),
        ("/dev/ttyUSB0", WheelKind.LINE, 1.0),
        ("tcp://10.0.0.7:4001", WheelKind.LINE, 1.0),
        ("tcp://[::1]:4001", WheelKind.LINE, 1.0),
    ],
)
def test_a_wheel_setting_is_parsed_into_its_kind_and_speed(text: str, kind: WheelKind, speed: float) -> None:
    found = parse_wheel(text)
    assert (found.kind, found.speed) == (kind, speed)
    assert (found.line == text) is (kind is WheelKind.LINE)


def test_the_demo_configuration_has_a_table_for_every_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = demo_configuration(tmp_path)
    assert list(map(str, found.games)) == list(rulebooks.SHIPPED)
    assert all(table.automatic for table in found.plan.tables)
    assert {wheel.kind for wheel in found.wheels.values()} == {WheelKind.SIMULATED}
    assert found.guests is Guests.LOOPBACK
    assert found.journal == tmp_path / "house.db"
    monkeypatch.setenv("ROUNDHOUSE_RULEBOOKS", str(ROOT / "tests" / "rulebooks"))
    assert len(demo_configuration(tmp_path).games) == len(rulebooks.SHIPPED) + 2


def test_terminals_are_found_by_table_and_seat() -> None:
    found = parse(HOUSE_TOML.encode(), Path("house.toml"))
    assert found.terminal_at(ROULETTE, SeatId("6")) is not None
    assert found.terminal_at(ROULETTE, SeatId("7")) is None
    assert found.terminal_at(TableId("x"), SeatId("6")) is None
    assert found.table(ROULETTE).game == "rws-double-zero"


@pytest.mark.parametrize("game", rulebooks.SHIPPED)
def test_demo_limits_follow_from_the_odds_of_each_position(game: str) -> None:
    found = rulebooks.find(game)
    limits = limits_for(found)
    assert table_limits.faults_of(limits, found.layouts) is None  # type: ignore[arg-type]
    for layout in found.layouts.values():
        for position in layout.positions:
            minimum, maximum = (bounds := limits.bounds(position.id)).min, bounds.max
            assert minimum == 100
            assert maximum >= 20_000
            assert maximum * position.pays <= 1_000_000
            assert 2.5 * (maximum + 1) * position.pays > 1_000_000, "the maximum is not smaller than necessary"
    assert len({limits.bounds(position.id) for layout in found.layouts.values() for position in layout.positions}) > 3


def test_the_demo_roulette_table_has_these_limits() -> None:
    limits = limits_for(rulebooks.find("rws-double-zero"))
    assert {kind: bounds.max for kind, bounds in limits.types.items()} == {
        "straight": 25_000, "split": 50_000, "street": 50_000, "corner": 100_000, "line": 200_000, "top_line": 100_000,
        "column": 500_000, "dozen": 500_000, "red": 1_000_000, "black": 1_000_000, "odd": 1_000_000, "even": 1_000_000,
        "low": 1_000_000, "high": 1_000_000,
    }  # fmt: skip
