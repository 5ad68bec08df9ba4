"""Random sequences of staff changes, compared with a simple model that does not use events."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import hypothesis.strategies as st
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from roundhouse.house.house import House
from roundhouse.house.sessions import LogIn
from roundhouse.house.writer import run_inline
from roundhouse.people.events import encode
from roundhouse.people.names import HOUSE_CHAIN, HouseRefused, PersonId, Role
from roundhouse.table.names import Millis
from tests.support.clocks import START
from tests.support.houses import PASSWORD, ROULETTE, bare_house, replayed
from tests.support.memory_store import MemoryStore

NAMES = st.sampled_from(["anna", "bert", "carl", "dora"])
ROLES = st.sampled_from(list(Role))
LADDER = [Role.CASHIER, Role.DEALER, Role.PIT_SUPERVISOR, Role.PIT_MANAGER, Role.SHIFT_MANAGER, Role.CASINO_MANAGER]


@dataclass
class PersonModel:
    """The expected state of one person."""

    positions: set[Role]
    strangers: int = 0
    """Failures from unknown addresses since the last log-in."""
    locked: bool = False
    """Whether only known addresses can log in."""
    known: set[str | None] = field(default_factory=set)
    terms: list[tuple[Role, int, int]] = field(default_factory=list)

    def roles_at(self, at: int) -> set[Role]:
        if not self.positions:
            return set()
        if Role.AUDITOR in self.positions:
            return {Role.AUDITOR}
        return self.positions | {role for role, begins, until in self.terms if begins <= at < until}


def rank_of(roles: set[Role]) -> int:
    order = {Role.CASHIER: 1, Role.DEALER: 1}
    return max([order.get(role, LADDER.index(role)) if role in LADDER else 0 for role in roles], default=0)


class People(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.house: House = bare_house(self.store)
        self.people: dict[str, PersonModel] = {}
        self.at = int(START)
        self.addresses = itertools.count()

    @rule(minutes=st.integers(0, 20))
    def time_passes(self, minutes: int) -> None:
        self.at += minutes * 60_000
        run_inline(self.house.sessions.sweep(Millis(self.at)))

    @rule(name=NAMES, roles=st.sets(ROLES, max_size=3))
    def the_engineer_adds(self, name: str, roles: set[Role]) -> None:
        answer = run_inline(self.house.staff.add(None, PersonId(name), name, tuple(roles), PASSWORD, Millis(self.at)))
        sound = bool(roles) and name not in self.people and (Role.AUDITOR not in roles or len(roles) == 1)
        assert (answer is None) is sound, answer
        if sound:
            self.people[name] = PersonModel(set(roles))

    @rule(name=NAMES, right=st.booleans(), new_place=st.booleans())
    def a_person_logs_in(self, name: str, right: bool, new_place: bool) -> None:
        person = self.people.get(name)
        # Wrong passwords come from new places, because this model has no delays.
        at_desk = right and not new_place and person is not None
        address = None if at_desk else f"198.51.{next(self.addresses)}"
        password = PASSWORD if right else "wrong"
        answer = run_inline(self.house.sessions.log_in(name, password, ROULETTE, Millis(self.at), address))
        if person is None:
            assert isinstance(answer, HouseRefused)
            return
        expected = right and bool(person.roles_at(self.at)) and (not person.locked or address in person.known)
        assert isinstance(answer, LogIn) is expected, answer
        if isinstance(answer, LogIn):
            self.logged_in(person, address)
            assert set(answer.session.roles) == person.roles_at(self.at)
        elif not right and not person.locked:
            person.strangers += 1
            person.locked = person.strangers == 3 and (bool(person.known) or self.another_manager(name))

    def logged_in(self, person: PersonModel, address: str | None) -> None:
        person.strangers = 0
        person.known.add(address)

    def another_manager(self, name: str) -> bool:
        """Return whether another manager could lift a restriction."""
        return any(
            rank_of(one.roles_at(self.at)) >= 3 and (not one.locked or bool(one.known))
            for other, one in self.people.items()
            if other != name
        )

    def session_of(self, name: str) -> Any:
        if name not in self.people:
            return None
        answer = run_inline(self.house.sessions.log_in(name, PASSWORD, ROULETTE, Millis(self.at)))
        if isinstance(answer, HouseRefused):
            return None
        self.logged_in(self.people[name], None)
        return answer.session

    @rule(by=NAMES, name=NAMES, roles=st.sets(ROLES, max_size=2))
    def positions_are_set(self, by: str, name: str, roles: set[Role]) -> None:
        if (session := self.session_of(by)) is None:
            return
        mine = rank_of(self.people[by].roles_at(self.at))
        answer = run_inline(self.house.staff.set_positions(session, PersonId(name), tuple(roles), Millis(self.at)))
        person = self.people.get(name)
        allowed = mine >= 4 and person is not None and by != name and rank_of(roles) <= mine
        allowed = allowed and (Role.AUDITOR not in roles or (len(roles) == 1 and mine == 5))
        if allowed and person is not None:
            acting = {role for role, begins, until in person.terms if begins <= self.at < until}
            allowed = rank_of(person.positions | acting) <= mine
            allowed = allowed and (Role.AUDITOR not in person.positions or mine == 5)
        assert (answer is None) is allowed, answer
        if allowed and person is not None:
            person.positions = set(roles)

    @rule(by=NAMES, name=NAMES, role=ROLES, begins=st.integers(-5, 5), minutes=st.integers(-5, 30))
    def a_person_is_appointed(self, by: str, name: str, role: Role, begins: int, minutes: int) -> None:
        if (session := self.session_of(by)) is None:
            return
        start = self.at + begins * 60_000
        until = start + minutes * 60_000
        answer = run_inline(
            self.house.staff.appoint(session, PersonId(name), role, Millis(start), Millis(until), Millis(self.at))
        )
        person, mine = self.people.get(name), rank_of(self.people[by].roles_at(self.at))
        allowed = mine >= 3 and person is not None and by != name and start < until and until > self.at
        if allowed and person is not None:
            acting = {one for one, a, b in person.terms if a <= self.at < b}
            free = bool(person.positions) and Role.AUDITOR not in {role, *person.positions}
            allowed = free and rank_of({role}) <= mine and rank_of(person.positions | acting) <= mine
        assert isinstance(answer, HouseRefused) is not allowed, answer
        if allowed and person is not None:
            person.terms.append((role, start, until))

    @rule(by=NAMES, name=NAMES)
    def a_person_is_unlocked(self, by: str, name: str) -> None:
        if (session := self.session_of(by)) is None:
            return
        answer = run_inline(self.house.staff.unlock(session, PersonId(name), Millis(self.at)))
        person = self.people.get(name)
        allowed = rank_of(self.people[by].roles_at(self.at)) >= 3 and person is not None and person.locked
        assert (answer is None) is allowed, answer
        if allowed and person is not None:
            person.locked, person.strangers = False, 0

    @rule()
    def the_house_restarts(self) -> None:
        self.house = bare_house(self.store)

    @invariant()
    def the_chain_matches_the_model(self) -> None:
        state = self.house.writer.state
        for name, person in self.people.items():
            found = state.people[PersonId(name)]
            failures = state.access_of(PersonId(name)).unknown_failures
            assert (set(found.positions), bool(found.locked), failures) == (
                person.positions, person.locked, person.strangers,
            )  # fmt: skip
            assert set(state.roles(PersonId(name), Millis(self.at))) == person.roles_at(self.at)

    def teardown(self) -> None:
        assert encode(self.house.writer.state) == encode(replayed(self.store))
        content = b"".join(row.body for row in self.store.rows(HOUSE_CHAIN))
        assert PASSWORD.encode() not in content


TestPeople = People.TestCase
# A third of the usual examples, because each of them is a long sequence.
TestPeople.settings = settings(max_examples=max(100, settings().max_examples // 3))
