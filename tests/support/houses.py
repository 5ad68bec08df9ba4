"""A small house with a person in every role, a fast password hasher and a real configuration."""

from pathlib import Path

from argon2 import PasswordHasher

from roundhouse.config.loading import TEMPLATE, Configuration, parse
from roundhouse.house.house import House
from roundhouse.house.passwords import Passwords
from roundhouse.house.session import Session
from roundhouse.house.sessions import LogIn
from roundhouse.house.terminals import EnrolledTerminal, TerminalKey
from roundhouse.house.writer import run_inline
from roundhouse.journal.entry import GENESIS, link
from roundhouse.journal.seal import Key
from roundhouse.journal.store import Store
from roundhouse.people.admit import admit
from roundhouse.people.apply import apply
from roundhouse.people.events import decode
from roundhouse.people.names import HOUSE_CHAIN, PersonId, Role
from roundhouse.people.state import HouseState
from roundhouse.table.names import Millis, SeatId, TableId
from tests.support.clocks import START
from tests.support.memory_store import MemoryStore

MINUTE = 60_000
ROULETTE, SANDS = TableId("roulette-1"), TableId("sands-1")
KEY = Key(bytes(range(32)))
PASSWORD = "correct horse battery"

HOUSE_TOML = TEMPLATE.read_text(encoding="utf-8")
TOML = (
    HOUSE_TOML
    + """
[[terminals]]
table = "roulette-1"
kind = "rapid-b"
seats = ["bills"]
bill_acceptor = true

[[tables]]
id = "sands-1"
game = "mbs-sands"

[tables.limits]
seat = { min = 100, max = 5000000 }
table = 50000000

[[terminals]]
table = "sands-1"
kind = "table"
seats = ["1"]
"""
)


def later(minutes: float = 0, millis: int = 0) -> Millis:
    return Millis(START + int(minutes * MINUTE) + millis)


def configuration(text: str = TOML) -> Configuration:
    return parse(text.encode(), Path("house.toml"))


def quick(time_cost: int = 1) -> Passwords:
    return Passwords(PasswordHasher(time_cost=time_cost, memory_cost=8, parallelism=1))


def bare_house(store: Store | None = None, settings: Configuration | None = None) -> House:
    return House(store or MemoryStore(), KEY, settings or SETTINGS, passwords=quick())


def person_of(role: Role) -> PersonId:
    return PersonId(role.value.replace("_", "-"))


def staffed_house(store: Store | None = None) -> House:
    """Open a house with one person of every role."""
    house = bare_house(store)
    add_everybody(house)
    return house


def add_everybody(house: House, at: Millis = START) -> None:
    """Add one person of every role. The role's name is the person's id."""
    for role in Role:
        name = role.value.replace("_", " ").title()
        assert run_inline(house.staff.add(None, person_of(role), name, (role,), PASSWORD, at)) is None


def log_in(house: House, role: Role, console: TableId | None = ROULETTE, at: Millis = START) -> Session:
    """Log in the person with this role, by default at the console of the roulette table."""
    found = run_inline(house.sessions.log_in(person_of(role), PASSWORD, console, at))
    assert isinstance(found, LogIn), found
    return found.session


def enrolled(
    house: House, seat: str = "1", table: TableId = ROULETTE, at: Millis = START
) -> tuple[EnrolledTerminal, str]:
    code = run_inline(house.terminals.enrol_code(log_in(house, Role.PIT_SUPERVISOR, None, at), table, SeatId(seat), at))
    assert isinstance(code, str), code
    found = run_inline(house.terminals.enrol(code, at))
    assert isinstance(found, TerminalKey), found
    return found.terminal, found.key


SETTINGS = configuration()


def replayed(store: Store) -> HouseState:
    """Derive the state of the house from the stored rows only."""
    state, hash = HouseState(), GENESIS
    for row in store.rows(HOUSE_CHAIN):
        hash = link(hash, row.body)
        assert row.hash == hash
        entry = decode(row.body)
        assert admit(state, entry) is None, entry
        apply(state, entry)
    return state
