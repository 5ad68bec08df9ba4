"""A simulated wheel without a pseudo-terminal: a source for the driver, and a coroutine in which its time passes.

Many of them run in one loop. The driver hears the very same bytes as from any other wheel.
"""

from collections.abc import Callable

from roundhouse.rules.rulebook import Rulebook
from roundhouse.wheelhead.codes import Codes
from roundhouse.wheelhead.commands import Mode
from roundhouse.wheelhead.simulator.chance import Chance
from roundhouse.wheelhead.simulator.machine import Machine
from roundhouse.wheelhead.simulator.noise import Cable
from roundhouse.wheelhead.simulator.played import Frame, Played
from roundhouse.wheelhead.simulator.scenario import REGULAR, Scenario
from roundhouse.wheelhead.simulator.serving import serve
from roundhouse.wheelhead.simulator.wire import Wire

Path = tuple[Frame, ...]
"""All angles of one launch, known when it begins."""


class SimulatedWheel:
    """``source`` is for the driver; ``path`` is told of each launch, for displays that animate it."""

    def __init__(
        self,
        rulebook: Rulebook,
        codes: Codes,
        chance: Chance,
        *,
        next_scenario: Callable[[], Scenario] = lambda: REGULAR,
        played: Callable[[Played], None] = lambda _: None,
        path: Callable[[Path], None] | None = None,
        mode: Mode = Mode.REVERSE_EACH_GAME | Mode.AUTOMATIC_STATUS,
        noise: float = 0.0,
        speed: float = 1.0,
        name: str = "simulated wheel",
    ) -> None:
        self.source = Wire(name)
        self._frames: list[Frame] = []
        self._path, self._speed = path, speed
        frame = self._frames.append if path is not None else None
        self.machine = Machine(rulebook, codes, chance, next_scenario, mode, played, frame)
        self._cable = Cable(noise, chance)

    async def turn(self) -> None:
        """For ever, until it is cancelled."""
        await serve(self.machine, self.source, self._cable, self._speed, self._shown)

    def _shown(self) -> bool:
        if self._frames and self._path is not None:
            self._path(tuple(self._frames))
            self._frames.clear()
        return False
