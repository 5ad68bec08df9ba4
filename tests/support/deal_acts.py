"""A ``roundhouse deal`` process, with the requests of a round in any of the five games."""

from pathlib import Path
from typing import Any

from tests.support.deal_process import Deal
from tests.support.tables import BALL_GAMES, DEFAULT_POSITION, SPUN_FIRST, TERMINALS, Json, chips

START = 1_800_000_000_000
WITHOUT_CLAUSE = ("mbs-sands", "rws-money-wheel")
"""Games without a clause on interruptions or on wrong results."""
ASKS = {"rws-double-zero": "5.1", "rws-triple-zero": "5.1", "mbs-electronic-double-zero": "5.13"}
"""The clause on interruptions in the other games."""
SPIN = {
    "rws-double-zero": "3.6",
    "rws-triple-zero": "3.6",
    "mbs-sands": "3.5",
    "mbs-electronic-double-zero": "3.6",
    "rws-money-wheel": "3.4",
}
"""The clause on a valid spin."""
RESULT = {
    "rws-double-zero": "3.7",
    "rws-triple-zero": "3.7",
    "mbs-sands": "3.7",
    "mbs-electronic-double-zero": "3.8",
    "rws-money-wheel": "3.5",
}
"""The clause by which the place of rest is the outcome."""
DECIDES = {
    "rws-double-zero": "5.10",
    "rws-triple-zero": "5.10",
    "mbs-sands": "general law",
    "mbs-electronic-double-zero": "6.1",
    "rws-money-wheel": "general law",
}
"""The clause on what the rules do not cover."""
CORRECTS = {
    "rws-double-zero": "5.5",
    "rws-triple-zero": "5.5",
    "mbs-sands": "3.7, general law",
    "mbs-electronic-double-zero": "6.3",
    "rws-money-wheel": "3.5, general law",
}
"""The clause on a wrong result or, without one, on the result and on decisions."""


class Acts:
    """A ``deal`` process, with the requests of a round."""

    def __init__(self, folder: Path, game: str, *options: str, clock: int = START, name: str = "journal") -> None:
        self.journal, self.game, self.options, self.clock = folder / name, game, options, clock
        self._count = 0
        self.deal = self._start()

    def _start(self) -> Deal:
        return Deal(self.journal, self.game, "--clock", str(self.clock), *self.options)

    def ask(self, do: str, by: str = "", **fields: Any) -> Json:
        self._count += 1
        if isinstance(fields.get("bets"), dict):
            fields["bets"] = chips(fields["bets"])
        request = {"id": f"r{self._count}", "by": by or DEFAULT_POSITION[do], "do": do, **fields}
        return self.deal.ask(request)[0]

    def ok(self, do: str, by: str = "", **fields: Any) -> list[Json]:
        answer = self.ask(do, by, **fields)
        assert answer["ok"], (do, answer)
        events: list[Json] = answer.get("events", [])
        return events

    def refused(self, do: str, by: str = "", **fields: Any) -> str:
        answer = self.ask(do, by, **fields)
        assert not answer["ok"], (do, answer)
        return str(answer["refusal"])

    @property
    def state(self) -> Json:
        return self.deal.state()

    def credits(self) -> int:
        cents: int = self.state["seats"]["s0"]["credits"]
        return cents

    @property
    def won(self) -> str:
        return "20" if self.game == "rws-money-wheel" else "17"

    @property
    def lost(self) -> str:
        return "10" if self.game == "rws-money-wheel" else "18"

    @property
    def position(self) -> str:
        return "symbol:20" if self.game == "rws-money-wheel" else "straight:17"

    @property
    def win(self) -> int:
        """Net win of 1000 cents on the winning number."""
        return 20_000 if self.game == "rws-money-wheel" else 35_000

    def open(self) -> "Acts":
        self.ok("open_table", "pit_supervisor")
        self.ok("take_seat", seat="s0", terminal=TERMINALS[self.game])
        self.ok("buy_credits", seat="s0", cents=10_000_000)
        return self

    def bets(self) -> "Acts":
        self.ok("open_bets")
        self.ok("place_bets", seat="s0", bets={self.position: 1000})
        return self

    def spin(self) -> "Acts":
        for do in ("start_spin", "close_bets") if self.game in SPUN_FIRST else ("close_bets", "start_spin"):
            self.ok(do)
        return self

    def report(self, **changed: Any) -> Json:
        spun = {"ball": "clockwise", "wheel": "anticlockwise", "revolutions": 14, "seen": [], **changed}
        return {key: value for key, value in spun.items() if self.game in BALL_GAMES or key not in ("ball", "wheel")}

    def attest(self) -> "Acts":
        self.ok("observe_spin", **self.report())
        return self

    def rest(self, registered: str = "") -> "Acts":
        self.ok("ball_at_rest", outcome=self.won)
        if registered:
            self.ok("register_result", outcome=registered)
        return self

    def at(self, phase: str) -> "Acts":
        """Play to a phase of the first round."""
        if phase == "idle":
            return self
        self.bets()
        if phase == "bets_open":
            return self
        if phase in ("bets_closed", "spinning_bets_open"):
            self.ok("close_bets" if phase == "bets_closed" else "start_spin")
            return self
        self.spin()
        if phase == "spinning":
            return self
        self.attest()
        if phase == "observed":
            return self
        return (
            self.rest(self.won if phase in ("registered", "settled") else "") if phase != "settled" else self.settle()
        )

    def settle(self, outcome: str = "") -> "Acts":
        self.ok("ball_at_rest", outcome=outcome or self.won)
        self.ok("register_result", outcome=outcome or self.won)
        self.ok("confirm_result")
        return self

    def kill(self) -> list[Json]:
        self.deal.kill()
        return self._reopen()

    def stop(self) -> list[Json]:
        status, _ = self.deal.end()
        assert status == 0
        return self._reopen()

    def _reopen(self) -> list[Json]:
        self.clock += 1_000_000
        self._count += 1000
        self.deal = self._start()
        recovered: list[Json] = self.deal.ready["recovered"]
        return recovered
