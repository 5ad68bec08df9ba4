"""Who is at the other end: nobody we know, a terminal at its seat, or staff with the positions of this moment."""

from dataclasses import dataclass

from roundhouse.house.part import Session
from roundhouse.house.terminals import EnrolledTerminal


@dataclass(frozen=True)
class Nobody:
    pass


@dataclass(frozen=True)
class AtTerminal:
    terminal: EnrolledTerminal
    csrf: str
    by_cookie: bool


@dataclass(frozen=True)
class Staff:
    session: Session
    by_cookie: bool

    @property
    def csrf(self) -> str:
        return self.session.csrf


Known = AtTerminal | Staff
Caller = Nobody | Known


def named(caller: Caller) -> str:
    """For the log: who it was, and no secret."""
    match caller:
        case Nobody():
            return "nobody"
        case AtTerminal(terminal=terminal):
            return f"terminal {terminal.table}/{terminal.seat}"
        case Staff(session=session):
            return f"person {session.person}"
