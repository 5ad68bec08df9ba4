"""Random nights at an automatic table: wheels fail, cables are pulled, people take over and answer.

A night follows from its seed and runs in virtual time. ``RandomNight`` checks the invariants after every step.
"""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from random import Random

from roundhouse.dealer.steps import Pace
from roundhouse.rules.names import PositionId
from roundhouse.rules.rulebook import Moment, Spun
from roundhouse.table.names import Phase, ReadBy
from roundhouse.wheel.simulator.scenario import REGULAR, Scenario, scenarios
from tests.support.dealt_table import DealtTable
from tests.support.memory_store import MemoryStore

PACE = Pace(betting_seconds=8, look_seconds=1, pause_seconds=1)
BOUND_SECONDS = PACE.betting_seconds + PACE.wheel_timeout_seconds + 15
"""Longest time without progress in automatic mode, unless the table waits for people."""
TWO = {"who": "ann", "second": "bob"}
HEALTHY_SECONDS = 180.0
"""A wheel without faults is connected and ready again after this time."""


class RandomNight:
    """One automatic table with random players, staff, wheel faults and disturbances."""

    def __init__(self, game: str, seed: int, noise: float) -> None:
        self._dice = Random(seed)
        self._wrong = 0.35
        # Simulates a slow disk: the table may change after the dealer has read it and before its command is decided.
        delays = Random(seed)
        self.house = DealtTable(
            MemoryStore(),
            game,
            PACE,
            plan=self._plan,
            seed=seed,
            noise=noise,
            animated=False,
            delay=lambda: delays.choice((0.0, 0.0, 0.01, 0.3)),
        )
        self._plans = list(scenarios(self.house.game.rulebook).values())
        self._layout = next(iter(self.house.game.layouts.values()))
        self._prices = self.house.game.prices(self._layout.id)
        self._placed: list[tuple[int, str, int]] = []
        self._credits = 10_000_000
        self._read = 0
        self._last_progress: tuple[object, float] = (None, 0.0)
        self._disturbing = True
        self._checked_at: object = None

    def _plan(self) -> Scenario:
        return self._dice.choice(self._plans) if self._dice.random() < self._wrong else REGULAR

    async def play(self, rounds: int) -> None:
        house = self.house
        house.sit(self._credits)
        people = [asyncio.create_task(one()) for one in (self._players, self._staff, self._disturb)]
        try:
            while house.state.round < rounds:
                await self._run_checked(5)
            self._disturbing, self._wrong = False, 0.0
            house.plug()
            await self._run_checked(HEALTHY_SECONDS)
            await self._play_undisturbed()
        finally:
            for task in people:
                task.cancel()
            for found in await asyncio.gather(*people, return_exceptions=True):
                if isinstance(found, Exception):
                    raise found
            await house.close()

    async def _play_undisturbed(self) -> None:
        """Check that without disturbances the dealer plays at least three rounds and never asks for people."""
        house = self.house
        if not house.state.automatic:
            await house.return_to_automatic()
        since = len(house.named("manual_mode_entered"))
        settled = len(house.named("round_settled"))
        for _ in range(200):
            await self._run_checked(5)
        assert len(house.named("manual_mode_entered")) == since, house.describe()
        assert len(house.named("round_settled")) >= settled + 3, house.describe()

    # Invariants.

    async def _run_checked(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        while loop.time() < ends:
            await asyncio.sleep(1)
            self._check_progress(loop.time())
            if self._checked_at == (now := (self.house.writer.version, len(self.house.events), len(self.house.played))):
                continue
            self._checked_at = now
            self._check_wheel_starts()
            self._check_readings()
            self._check_money()
            self._check_rotor()
            self._check_programs()

    def _check_progress(self, now: float) -> None:
        state = self.house.state
        assert state.phase is not Phase.STOPPED, state.stopped
        assert not self.house.running.done()
        assert state.automatic or state.mode_reason, "manual mode without a reason"
        asked = len(self.house.named("manual_mode_entered"))
        key = (state.phase, state.round, state.registered_outcome, asked)
        waits_for_people = not state.automatic or state.readings_disagree or state.phase is Phase.REFERRED
        if key != self._last_progress[0] or waits_for_people:
            self._last_progress = key, now
        assert now - self._last_progress[1] < BOUND_SECONDS, f"no progress: {self.house.describe()}"

    def _check_wheel_starts(self) -> None:
        """Check that the dealer starts no wheel while bets are open, in games where bets close before the spin."""
        if self.house.game.rulebook.betting.closes.moment is Moment.BEFORE_SPIN:
            started = {event["phase"] for event in self.house.named("wheel_command") if event["line"] == "*u 1"}
            # In the phase ``spinning`` bets are closed, too: a wheel that was not ready is launched late.
            assert started <= {Phase.BETS_CLOSED, Phase.SPINNING}

    def _check_readings(self) -> None:
        """Check that each outcome read by the wheel is that of a ball launched in its round, and is the only one."""
        rested = [event for event in self.house.named("ball_rested") if event.get("read_by") == ReadBy.WHEEL]
        opened = {event["round"]: event["launches"] for event in self.house.named("bets_opened")}
        for event in rested[self._read :]:
            # A round usually has one ball. In manual mode people can launch more balls at the wheel itself.
            launched = self.house.played[opened[event["round"]] : event["launches"]]
            codes = [played.established for played in launched if played.established is not None]
            places = {self.house.game.wheel.at(self.house.codes.segment_of[code]) for code in codes}
            assert event["outcome"] in places
        self._read = len(rested)
        further = [event for event in self.house.named("outcome_read") if event.get("read_by") == ReadBy.WHEEL]
        rounds = [event["round"] for event in (*rested, *further)]
        assert len(rounds) == len(set(rounds))
        ended = [e["round"] for name in ("round_settled", "round_voided") for e in self.house.named(name)]
        assert len(ended) == len(set(ended)), "a round ended twice"

    def _check_money(self) -> None:
        state = self.house.state
        seat = state.seats["s"]  # type: ignore[index]
        assert seat.credits == seat.expected_credits()
        accounts = (seat.credits, state.layout, state.house, state.cashier, state.tickets, state.shortfall)
        assert sum(accounts) == 0
        if state.phase is Phase.IDLE:
            assert seat.credits == self._credits - self._lost()

    def _lost(self) -> int:
        """Return the cents lost, from the layout's prices and the outcomes only."""
        lost = 0
        for event in self.house.named("round_settled"):
            times = self._prices.all_times(event["outcome"])
            slip = self._slips.get(event["round"], {})
            lost += sum(slip.values()) - sum(cents * times[PositionId(id)] for id, cents in slip.items())
        return lost

    @property
    def _slips(self) -> dict[int, dict[str, int]]:
        found: dict[int, dict[str, int]] = {}
        for round, position, cents in self._placed:
            slip = found.setdefault(round, {})
            slip[position] = slip.get(position, 0) + cents
        return found

    def _check_rotor(self) -> None:
        if self.house.game.rulebook.wheel.spun is Spun.BALL:
            ways = [played.spin.wheel for played in self.house.played]
            # A rotor that did not turn has no direction.
            assert all(None in pair or pair[0] != pair[1] for pair in pairwise(ways)), (
                "the rotor turned the same way twice"
            )

    def _check_programs(self) -> None:
        """Check that programs report only what the line measures, and confirm only with the rest named."""
        for event in self.house.named("spin_observed"):
            assert event.get("revolutions") is None
            assert event["source"]["by"] == "automatic_dealer"
            assert event.get("ball") in (None, event["wheel"]), "measured only if it is with the rotor"
        for event in self.house.named("result_confirmed"):
            assert event["source"]["by"] == "automatic_dealer"
            assert "revolutions" in event["not_measured"]

    # People.

    async def _players(self) -> None:
        while True:
            await asyncio.sleep(self._dice.uniform(1, 9))
            position, cents = self._dice.choice(self._layout.positions).id, self._dice.randint(1, 50) * 100
            bets = [{"position": position, "cents": cents}]
            if self.house.ask("player", "place_bets", seat="s", bets=bets).ok:
                self._placed.append((self.house.state.round, position, cents))

    async def _staff(self) -> None:
        """Resolve every situation that waits for people, after a random delay, and hand back."""
        while True:
            await asyncio.sleep(self._dice.choice((0.3, 2, 7, 30)))
            state = self.house.state
            if state.phase is Phase.REFERRED:
                ruling = self._dice.choice(("void", "settle"))
                outcome = self._dice.choice(self.house.game.wheel.pockets)
                fields = {"outcome": outcome} if ruling == "settle" else {}
                decision = {"round": state.round, "ruling": ruling, "reason": "decided", **fields, **TWO}
                if not self.house.ask("shift_manager", "decide", **decision).ok:
                    self.house.ask("shift_manager", "decide", **decision | {"ruling": "void", "outcome": None})
            elif state.readings_disagree:
                self.house.ask("pit_manager", "correct_result", round=state.round, outcome=state.wheel_outcome, **TWO)
            elif not state.automatic:
                # A spin without a ball is a disturbance: two minutes later the dealer asks for people again.
                answers = (self._void, self._result, self._spin, lambda: None)
                self._dice.choice(answers if self._disturbing else answers[:2])()
                self.house.ask("dealer", "hand_back")

    def _void(self) -> None:
        irregularities = self.house.game.rulebook.irregularities.items()
        voiding = [id for id, found in irregularities if found.effect.voids]
        for by in ("dealer", "pit_manager", "shift_manager"):
            self.house.ask(by, "declare", irregularity=self._dice.choice(voiding), **TWO)

    def _result(self) -> None:
        outcome = self._dice.choice(self.house.game.wheel.pockets)
        for do in ("close_bets", "start_spin", "close_bets"):
            self.house.ask("dealer", do)
        self.house.ask("dealer", "ball_at_rest", outcome=outcome, reason="read at the wheel")
        self.house.ask("dealer", "register_result", outcome=outcome)

    def _spin(self) -> None:
        for do in ("close_bets", "start_spin"):
            self.house.ask("dealer", do)

    async def _disturb(self) -> None:
        disturbances: tuple[Callable[[], object], ...] = (
            self.house.unplug,
            self.house.plug,
            self.house.plug,
            lambda: self.house.ask("dealer", "take_over", reason="a chip fell"),
            lambda: self.house.ask("dealer", "take_over", reason="a drink fell"),
            lambda: self.house.ask("dealer", "hand_back"),
            self._void,
            self._spin,
            lambda: self.house.ask("dealer", "register_result", outcome=self.house.game.wheel.pockets[0]),
            lambda: self.house.ask("dealer", "open_bets"),
            lambda: self._by_hand(b"*P 0"),
            lambda: self._by_hand(b"*u 1"),
            lambda: self._by_hand(b"*o 129"),
        )
        while self._disturbing:
            await asyncio.sleep(self._dice.uniform(1, 90))
            if self._disturbing:
                self._dice.choice(disturbances)()

    def _by_hand(self, line: bytes) -> None:
        """Operate the wheel at its own buttons, without recording it as a command of the dealer."""
        type(self.house.wheel.machine).obey(self.house.wheel.machine, line)
