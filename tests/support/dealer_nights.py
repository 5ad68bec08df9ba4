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
"""In automatic mode nothing stands still for longer, unless people were asked."""
HEALTHY_SECONDS = 180.0
"""After so long without a fault a wheel is open again, and has been made ready."""


class RandomNight:
    def __init__(self, game: str, seed: int, noise: float) -> None:
        self._dice = Random(seed)
        self._wrong = 0.35
        # A slow disk: the table may move on between the dealer's look and its command.
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
        self._stood: tuple[object, float] = (None, 0.0)
        self._meddling = True
        self._looked_at: object = None

    def _plan(self) -> Scenario:
        return self._dice.choice(self._plans) if self._dice.random() < self._wrong else REGULAR

    async def play(self, rounds: int) -> None:
        house = self.house
        house.sit(self._credits)
        people = [asyncio.create_task(one()) for one in (self._players, self._staff, self._vandals)]
        try:
            while house.memory.round < rounds:
                await self._watched(5)
            self._meddling, self._wrong = False, 0.0
            house.plug()
            await self._watched(HEALTHY_SECONDS)
            await self._calm()
        finally:
            for task in people:
                task.cancel()
            for found in await asyncio.gather(*people, return_exceptions=True):
                if isinstance(found, Exception):
                    raise found
            await house.close()

    async def _calm(self) -> None:
        """Nobody meddles and nothing is wrong: three rounds, each within its time, and no more questions."""
        house = self.house
        if not house.memory.automatic:
            await house.back_to_the_dealer()
        since = len(house.named("manual_mode_entered"))
        settled = len(house.named("round_settled"))
        for _ in range(200):
            await self._watched(5)
        assert len(house.named("manual_mode_entered")) == since, house.story()
        assert len(house.named("round_settled")) >= settled + 3, house.story()

    # what must hold

    async def _watched(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        while loop.time() < ends:
            await asyncio.sleep(1)
            self._moves(loop.time())
            if self._looked_at == (now := (self.house.writer.version, len(self.house.events), len(self.house.played))):
                continue
            self._looked_at = now
            self._only_after_bets_closed()
            self._readings_are_the_wheels()
            self._money_is_right()
            self._rotor_alternates()

    def _moves(self, now: float) -> None:
        memory = self.house.memory
        assert memory.phase is not Phase.STOPPED, memory.stopped
        assert not self.house.running.done()
        assert memory.automatic or memory.mode_reason, "people deal, and nobody says why"
        asked = len(self.house.named("manual_mode_entered"))
        key = (memory.phase, memory.round, memory.registered_outcome, asked)
        waits_for_people = not memory.automatic or memory.readings_disagree or memory.phase is Phase.REFERRED
        if key != self._stood[0] or waits_for_people:
            self._stood = key, now
        assert now - self._stood[1] < BOUND_SECONDS, f"nothing happens: {self.house.story()}"

    def _only_after_bets_closed(self) -> None:
        """Where bets close before the spin, the dealer has never told the wheel to start with bets open."""
        if self.house.game.rulebook.betting.closes.moment is Moment.BEFORE_SPIN:
            started = {event["phase"] for event in self.house.named("told") if event["line"] == "*u 1"}
            assert started <= {Phase.BETS_CLOSED}

    def _readings_are_the_wheels(self) -> None:
        """What was put on record as the wheel's reading is of a ball launched in its round: once each."""
        rested = [event for event in self.house.named("ball_rested") if event.get("read_by") == ReadBy.WHEEL]
        opened = {event["round"]: event["launches"] for event in self.house.named("bets_opened")}
        for event in rested[self._read :]:
            # One ball, but for those that somebody launched at the wheel itself while people dealt.
            launched = self.house.played[opened[event["round"]] : event["launches"]]
            codes = [played.established for played in launched if played.established is not None]
            places = {self.house.game.wheel.at(self.house.codes.segment_of[code]) for code in codes}
            assert event["outcome"] in places
        self._read = len(rested)
        rounds = [event["round"] for event in rested]
        assert len(rounds) == len(set(rounds))
        ended = [e["round"] for name in ("round_settled", "round_voided") for e in self.house.named(name)]
        assert len(ended) == len(set(ended)), "a round ends once"

    def _money_is_right(self) -> None:
        memory = self.house.memory
        seat = memory.seats["s"]  # type: ignore[index]
        assert seat.credits == seat.expected_credits()
        accounts = (seat.credits, memory.layout, memory.house, memory.cashier, memory.tickets, memory.shortfall)
        assert sum(accounts) == 0
        if memory.phase is Phase.IDLE:
            assert seat.credits == self._credits - self._lost()

    def _lost(self) -> int:
        """By the layout's prices and the outcomes alone."""
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

    def _rotor_alternates(self) -> None:
        if self.house.game.rulebook.wheel.spun is Spun.BALL:
            ways = [played.spin.wheel for played in self.house.played]
            # A rotor that stood still had no way to turn.
            assert all(None in pair or pair[0] != pair[1] for pair in pairwise(ways)), "the same way twice"

    # who is there

    async def _players(self) -> None:
        while True:
            await asyncio.sleep(self._dice.uniform(1, 9))
            position, cents = self._dice.choice(self._layout.positions).id, self._dice.randint(1, 50) * 100
            bets = [{"position": position, "cents": cents}]
            if self.house.ask("player", "place_bets", seat="s", bets=bets).ok:
                self._placed.append((self.house.memory.round, position, cents))

    async def _staff(self) -> None:
        """Whatever question stands, somebody answers it, sooner or later, and hands back."""
        while True:
            await asyncio.sleep(self._dice.choice((0.3, 2, 7, 30)))
            memory = self.house.memory
            if memory.phase is Phase.REFERRED:
                ruling = self._dice.choice(("void", "settle"))
                outcome = self._dice.choice(self.house.game.wheel.pockets)
                fields = {"outcome": outcome} if ruling == "settle" else {}
                for by in ("shift_manager", "pit_manager"):
                    self.house.ask(by, "decide", round=memory.round, ruling=ruling, reason="so be it", **fields)
            elif memory.readings_disagree:
                self.house.ask("pit_manager", "correct_result", round=memory.round, outcome=memory.wheel_outcome)
            elif not memory.automatic:
                # A spin that nobody launches a ball for is mischief, and a question two minutes later.
                answers = (self._void, self._result, self._spin, lambda: None)
                self._dice.choice(answers if self._meddling else answers[:2])()
                self.house.ask("dealer", "hand_back")

    def _void(self) -> None:
        irregularities = self.house.game.rulebook.irregularities.items()
        words = [word for word, found in irregularities if found.effect.voids]
        for by in ("dealer", "pit_manager", "shift_manager"):
            self.house.ask(by, "declare", irregularity=self._dice.choice(words))

    def _result(self) -> None:
        outcome = self._dice.choice(self.house.game.wheel.pockets)
        for do in ("close_bets", "start_spin", "close_bets"):
            self.house.ask("dealer", do)
        for do in ("ball_at_rest", "register_result"):
            self.house.ask("dealer", do, outcome=outcome)

    def _spin(self) -> None:
        for do in ("close_bets", "start_spin"):
            self.house.ask("dealer", do)

    async def _vandals(self) -> None:
        mischief: tuple[Callable[[], object], ...] = (
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
        while self._meddling:
            await asyncio.sleep(self._dice.uniform(1, 90))
            if self._meddling:
                self._dice.choice(mischief)()

    def _by_hand(self, line: bytes) -> None:
        """Somebody works the wheel at its own buttons: what the dealer did not say is not overheard."""
        type(self.house.wheel.machine).obey(self.house.wheel.machine, line)
