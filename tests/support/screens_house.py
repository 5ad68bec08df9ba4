"""A house in its own process for tests in a browser, with people in every role and many tables.

Tables are dealt manually, so that a test decides what happens next. Each test takes unused tables.
"""

import itertools
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from roundhouse import rulebooks
from roundhouse.house.writer import run_inline
from roundhouse.people.names import PersonId, Role
from roundhouse.rules.game import Game
from roundhouse.rules.rulebook import Moment, Spun
from tests.support.house_process import HouseProcess
from tests.support.houses import PASSWORD, add_everybody

GAMES: tuple[str, ...] = tuple(rulebooks.SHIPPED)
_HEAD = """
[house]
name = "The Screens' House"
{currency}
data = "data"

[listen]
port = {port}

[requests]
log_ins_per_minute = 10000
requests_per_second = 10000
frames_per_second = 1000000
frames_per_second_per_address = 10000000

[cage]
drawers = ["cage-1", "cage-2"]
second_person_from = 100000
maximum = 500000
report_from = 200000
variance_from = 500
[money.buy_in]
player = { max = 1000000000 }
cashier = { max = 1000000000 }
dealer = { alone = 500000, max = 1000000000 }

[money.cash_out]
player = { max = 1000000000 }
cashier = { alone = 1000000000 }
dealer = { alone = 1000000000 }
"""
_TABLE = """
[[tables]]
id = "{id}"
game = "{game}"
wheel = "{wheel}"
automatic = {automatic}
betting_seconds = 20
{line}[tables.limits]
seat = {{ min = 100, max = 100000000 }}
"""
_LINE = "rtscts = false\n"
"""A pseudo-terminal has no wires for hardware flow control."""
_TERMINALS = """
[[terminals]]
table = "{table}"
kind = "{kind}"
seats = [{seats}]
bill_acceptor = true
"""
TOKEN_LIFE_SECONDS = 120
AT_A_CONSOLE = ("dealer", "cashier")


class ScreensHouse(HouseProcess):
    """A house with manual tables of each game; ``tables`` is their number. With a ``speed``, each game also has an
    automatic table.

    Each table has ``seats`` seats for each kind of terminal. ``lines`` are wheels for further manual tables: the game
    of each, and the device.
    """

    def __init__(
        self,
        folder: Path,
        tables: int | Mapping[str, int] = 1,
        speed: int | None = None,
        seats: int = 3,
        lines: Sequence[tuple[str, str]] = (),
        currency: str = "XXX",
    ) -> None:
        self._seats = seats
        counts = dict.fromkeys(GAMES, tables) if isinstance(tables, int) else tables
        manual = [(f"{game}-{number}", game) for game in GAMES for number in range(1, counts[game] + 1)]
        automatic = [(f"{game}-auto", game) for game in GAMES] if speed is not None else []
        self._unused = {game: [id for id, of in manual if of == game] for game in GAMES}
        money = f'currency = "{currency}"' + ("\nplay_money = true" if currency == "XXX" else "")
        self._text = _HEAD.replace("{currency}", money)
        for id, game in manual:
            self._add(id, game, "none", "false")
        for id, game in automatic:
            self._add(id, game, f"simulated:{speed}", "true")
        self.with_line = [f"{game}-line-{number}" for number, (game, _) in enumerate(lines)]
        """Tables with a wheel on its line, in the order of ``lines``."""
        for id, (game, device) in zip(self.with_line, lines, strict=True):
            self._add(id, game, device, "false", _LINE)
        super().__init__(folder, self._text)
        self.address = self.url
        self._staff()
        self._tokens: dict[tuple[str, str | None], tuple[str, float]] = {}
        self._ids = itertools.count()
        self.http = httpx.Client()
        self.start()

    def _add(self, id: str, game: str, wheel: str, automatic: str, line: str = "") -> None:
        self._text += _TABLE.format(id=id, game=game, wheel=wheel, automatic=automatic, line=line)
        for kind in rulebooks.find(game).terminals:
            seats = ", ".join(f'"{kind}-{number}"' for number in range(1, self._seats + 1))
            self._text += _TERMINALS.format(table=id, kind=kind, seats=seats)

    def _staff(self) -> None:
        with self.before_start() as (house, now):
            add_everybody(house, now)
            # A person that a test locks out, and a Dealer who relieves another.
            for id in ("spare", "relief"):
                refused = run_inline(house.staff.add(None, PersonId(id), id.title(), (Role.DEALER,), PASSWORD, now))
                assert refused is None
            # A second person where only the Shift Manager decides.
            second = PersonId("second-shift-manager")
            added = house.staff.add(None, second, "Second Shift Manager", (Role.SHIFT_MANAGER,), PASSWORD, now)
            assert run_inline(added) is None

    # Starting and ending.

    def start(self) -> None:
        super().start()
        self._tokens.clear()
        self.http.close()
        self.http = httpx.Client(base_url=self.address, timeout=30)
        until = time.monotonic() + 90
        while time.monotonic() < until:
            try:
                if self.http.get("/healthz").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.1)
        raise AssertionError(f"the house did not start: {self.log.read_text()[-2000:]}")

    def end(self, number: signal.Signals) -> None:
        super().end(number)
        self.http.close()

    # Requests over HTTP.

    def table(self, game: str) -> str:
        """Return a table of the game that no test has used."""
        assert self._unused[game], f"the tests use more tables of {game} than TABLES provides"
        return self._unused[game].pop()

    def token(self, position: str, table: str | None = None) -> str:
        console = table if position in AT_A_CONSOLE else None
        token, since = self._tokens.get((position, console), ("", 0.0))
        # Reading does not count as activity, and an idle session locks after some minutes.
        if time.monotonic() - since > TOKEN_LIFE_SECONDS:
            body = {**self.log_in(position, console), "program": True}
            token = self._request("POST", "/api/log-in", body)["token"]
            self._tokens[position, console] = token, time.monotonic()
        return token

    @staticmethod
    def log_in(position: str, console: str | None) -> dict[str, Any]:
        return {"name": position.replace("_", "-"), "password": PASSWORD, "console": console}

    def ask(self, table: str, position: str, do: str, **fields: object) -> dict[str, Any]:
        """Send a request to the table as the person in a position. It must be accepted."""
        body = {"id": f"web{next(self._ids)}", "do": do, **fields}
        answer: dict[str, Any] = self._request(
            "POST", f"/api/tables/{table}/requests", body, self.token(position, table)
        )
        return answer

    def ask_two(self, table: str, position: str, second: str, do: str, **fields: object) -> dict[str, Any]:
        """Send a request that needs a second person, and approve it as the person in another position."""
        proposal = str(self.ask(table, position, do, **fields)["proposal"])
        path = f"/api/proposals/{proposal}/approve"
        answer: dict[str, Any] = self._request("POST", path, {"id": f"web{next(self._ids)}"}, self.token(second, table))
        return answer

    def get(self, path: str, position: str = "pit_manager", table: str | None = None) -> Any:
        return self._request("GET", path, None, self.token(position, table))

    def seat(self, table: str, seat: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"/api/tables/{table}/seats/{seat}")
        return found

    def view(self, table: str) -> dict[str, Any]:
        found: dict[str, Any] = self._request("GET", f"/api/tables/{table}")
        return found

    def code(self, table: str, seat: str) -> str:
        """Return a code to enrol a terminal at the seat."""
        token = self.token("pit_supervisor")
        return str(self._request("POST", "/api/terminals/codes", {"table": table, "seat": seat}, token)["code"])

    def _request(self, method: str, path: str, body: Mapping[str, Any] | None = None, token: str | None = None) -> Any:
        headers = {"authorization": f"Bearer {token}"} if token is not None else {}
        answer = self.http.request(method, path, json=body, headers=headers)
        assert answer.status_code in (200, 201, 202), (method, path, body, answer.text)
        return answer.json()

    # Dealing.

    def deal(self, table: str, *steps: str, outcome: str | None = None) -> None:
        """Take steps as the dealer: ``open``, ``spin`` (which also closes bets), ``rest`` and ``settle``."""
        for step in steps:
            for do, fields in _STEPS[step](self.game(table), outcome):
                self.ask(table, "dealer", do, **fields)

    @staticmethod
    def game(table: str) -> Game:
        return rulebooks.find(next(game for game in GAMES if table.startswith(game)))


def _spin(game: Game, _: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the requests that close bets and spin, in the order of the rulebook."""
    while_spinning = game.rulebook.betting.closes.moment is Moment.WHILE_SPINNING
    closing: list[tuple[str, dict[str, Any]]] = [("start_spin", {}), ("close_bets", {})]
    yield from closing if while_spinning else reversed(closing)
    seen: dict[str, Any] = {"revolutions": 9}
    if game.wheel.spun is Spun.BALL:
        seen |= {"ball": "clockwise", "wheel": "anticlockwise"}
    else:
        seen |= {"wheel": "clockwise"}
    yield "observe_spin", seen


def _rest(game: Game, outcome: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "ball_at_rest", {"outcome": outcome or game.wheel.pockets[0]}


def _settle(game: Game, outcome: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "register_result", {"outcome": outcome or game.wheel.pockets[0]}
    yield "confirm_result", {}


Step = Callable[[Game, str | None], Iterator[tuple[str, dict[str, Any]]]]
_STEPS: dict[str, Step] = {
    "open": lambda *_: iter([("open_bets", {})]),
    "spin": _spin,
    "rest": _rest,
    "settle": _settle,
}
