"""An independent model of the money, derived from requests and answers only.

It does not use events or postings. It keeps all slips and rounds and recomputes a seat's credits from the start
each time, while the table keeps running sums.
"""

from dataclasses import dataclass, field

Slip = dict[str, int]

_RED = {"1", "3", "5", "7", "9", "12", "14", "16", "18", "19", "21", "23", "25", "27", "30", "32", "34", "36"}
PRICES: dict[str, dict[str, tuple[set[str], int]]] = {
    "roulette": {
        "red": (_RED, 2),
        "straight:17": ({"17"}, 36),
        "dozen:1": ({str(n) for n in range(1, 13)}, 3),
        "split:0-00": ({"0", "00"}, 18),
        "corner:1-2-4-5": ({"1", "2", "4", "5"}, 9),
    },
    "wheel": {"symbol:1": ({"1"}, 2), "symbol:20": ({"20"}, 21), "symbol:RWS": ({"RWS"}, 46)},
}


@dataclass
class PastRound:
    slips: dict[str, Slip]
    outcome: str | None
    moved: dict[str, int] = field(default_factory=dict)
    """Cents credited to each seat. They exceed the amount due if a seat could not pay back a correction."""


@dataclass
class Model:
    prices: dict[str, tuple[set[str], int]]
    bought: dict[str, list[int]] = field(default_factory=dict)
    """Cash and tickets that were turned into credits."""
    cashed: dict[str, list[int]] = field(default_factory=dict)
    slips: dict[str, Slip] = field(default_factory=dict)
    history: dict[str, list[Slip]] = field(default_factory=dict)
    last: dict[str, Slip] = field(default_factory=dict)
    past: dict[int, PastRound] = field(default_factory=dict)
    number: int = 0
    open: bool = False
    """Whether a round is in progress."""
    betting: bool = False
    rested: str | None = None
    registered: str | None = None
    referred: set[int] = field(default_factory=set)

    def due(self, slip: Slip, outcome: str | None) -> int:
        if outcome is None:
            return sum(slip.values())
        return sum(cents * self.prices[p][1] for p, cents in slip.items() if outcome in self.prices[p][0])

    def credits(self, seat: str) -> int:
        cash = sum(self.bought[seat]) - sum(self.cashed[seat])
        played = sum(r.moved.get(seat, 0) - sum(r.slips.get(seat, {}).values()) for r in self.past.values())
        return cash + played - sum(self.slips[seat].values())

    def owed(self, seat: str) -> int:
        return sum(r.moved[seat] - self.due(r.slips[seat], r.outcome) for r in self.past.values() if seat in r.slips)

    def house(self) -> int:
        rounds = self.past.values()
        return sum(sum(s.values()) - self.due(s, r.outcome) for r in rounds for s in r.slips.values())

    def sit(self, seat: str) -> None:
        self.bought[seat], self.cashed[seat] = [], []
        self.slips[seat], self.history[seat], self.last[seat] = {}, [], {}

    def lay(self, seat: str, slip: Slip) -> None:
        """Replace the seat's slip, and keep the old one for undo."""
        self.history[seat].append(self.slips[seat])
        self.slips[seat] = {position: cents for position, cents in slip.items() if cents}

    def plus(self, seat: str, more: Slip, sign: int = 1) -> Slip:
        slip = dict(self.slips[seat])
        for position, cents in more.items():
            slip[position] = slip.get(position, 0) + sign * cents
        return slip

    def undo(self, seat: str) -> None:
        self.slips[seat] = self.history[seat].pop()

    def begin(self) -> None:
        self.number += 1
        self.open = self.betting = True
        self.rested = self.registered = None

    def end(self, outcome: str | None) -> None:
        slips = {seat: slip for seat, slip in self.slips.items() if slip}
        self.past[self.number] = PastRound(slips, outcome, {s: self.due(slip, outcome) for s, slip in slips.items()})
        for seat in self.slips:
            self.last[seat] = self.slips[seat] or self.last[seat]
            self.slips[seat], self.history[seat] = {}, []
        self.open = self.betting = False

    def restate(self, number: int, outcome: str | None) -> None:
        """Correct the outcome of a past round. Seats get the difference, or pay back as much as their credits allow."""
        round = self.past[number]
        round.outcome = outcome
        for seat, slip in round.slips.items():
            short = round.moved[seat] - self.due(slip, outcome)
            if short > 0:
                credits = self.credits(seat)
                round.moved[seat] -= min(short, credits)
            else:
                round.moved[seat] -= short
