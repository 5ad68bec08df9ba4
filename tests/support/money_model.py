"""An independent model of the money, derived from requests and answers only.

It does not use events or postings. It keeps all slips and rounds and recomputes a seat's credits from the start
each time, while the table keeps running sums.
"""

from dataclasses import dataclass, field
from typing import Any

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
    decided: dict[str, str | None] = field(default_factory=dict)
    """Outcomes by which single seats were decided, or ``None`` for a seat whose bets are void."""

    def outcome_of(self, seat: str) -> str | None:
        return self.decided.get(seat, self.outcome)


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
    given_back: dict[str, Slip] = field(default_factory=dict)
    """Stakes that a decision returned before the end of the round in progress."""

    def due(self, slip: Slip, outcome: str | None) -> int:
        if outcome is None:
            return sum(slip.values())
        return sum(cents * self.prices[p][1] for p, cents in slip.items() if outcome in self.prices[p][0])

    def credits(self, seat: str) -> int:
        cash = sum(self.bought[seat]) - sum(self.cashed[seat])
        played = sum(r.moved.get(seat, 0) - sum(r.slips.get(seat, {}).values()) for r in self.past.values())
        return cash + played - sum(self.slips[seat].values())

    def owed(self, seat: str) -> int:
        rounds = [round for round in self.past.values() if seat in round.slips]
        return sum(r.moved[seat] - self.due(r.slips[seat], r.outcome_of(seat)) for r in rounds)

    def house(self) -> int:
        return self.handle() - self.paid()

    def handle(self) -> int:
        """Return the stakes of all seats that are settled."""
        return sum(sum(slip.values()) for _, slip in self._settled())

    def paid(self) -> int:
        return sum(self.due(slip, outcome) for outcome, slip in self._settled())

    def _settled(self) -> list[tuple[str, Slip]]:
        found = [(r.outcome_of(seat), slip) for r in self.past.values() for seat, slip in r.slips.items()]
        return [(outcome, slip) for outcome, slip in found if outcome is not None]

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
        ended = PastRound(slips, outcome, {s: self.due(slip, outcome) for s, slip in slips.items()})
        for seat, slip in self.given_back.items():
            if seat not in slips:
                ended.slips[seat], ended.moved[seat], ended.decided[seat] = slip, sum(slip.values()), None
                self.last[seat] = slip
        self.past[self.number], self.given_back = ended, {}
        for seat in self.slips:
            self.last[seat] = self.slips[seat] or self.last[seat]
            self.slips[seat], self.history[seat] = {}, []
        self.open = self.betting = False

    def give_back(self, seat: str) -> None:
        """Return the stake of a seat before the round ends."""
        self.given_back[seat], self.slips[seat], self.history[seat] = self.slips[seat], {}, []

    def restate(self, number: int, outcome: str | None) -> None:
        """Correct the outcome of a past round, or void it. Seats that were decided by themselves keep their outcome.

        A void ends such a decision, too.
        """
        round = self.past[number]
        round.outcome = outcome
        if outcome is None:
            round.decided = {seat: own for seat, own in round.decided.items() if own is None}
        for seat in round.slips:
            self._pay(round, seat)

    def decide_seat(self, number: int, seat: str, outcome: str | None) -> None:
        round = self.past[number]
        round.decided[seat] = outcome
        self._pay(round, seat)

    def _pay(self, round: PastRound, seat: str) -> None:
        """Give a seat the difference to what is due, or take back as much as its credits allow."""
        short = round.moved[seat] - self.due(round.slips[seat], round.outcome_of(seat))
        round.moved[seat] -= min(short, self.credits(seat)) if short > 0 else short

    def follow_round(self, do: str, fields: dict[str, Any], events: list[dict[str, Any]]) -> None:
        """Apply an accepted request of the round or of the pit."""
        match do:
            case "open_bets":
                self.begin()
            case "register_result":
                self.registered = fields["outcome"]
            case "confirm_result":
                self.end(self.registered)
            case "call_no_spin":
                self.end(None)
            case "observe_spin" if len(events) > 1:
                self.end(None)
            case "declare" if fields["irregularity"] != "terminals_interrupted":
                # Reversals that credit seats come first.
                numbers = sorted(set(fields.get("rounds", [self.number])))
                past = [number for number in numbers if number in self.past and self.past[number].outcome is not None]
                if self.open and self.number in numbers:
                    self.end(None)
                for number in sorted(past, key=lambda number: self.taken(self.past[number])):
                    self.restate(number, None)
            case "correct_result" if self.open and fields["round"] == self.number:
                self.registered = fields["outcome"]
            case "correct_result":
                self.restate(fields["round"], fields["outcome"])
            case "decide" if fields["ruling"] != "stand":
                self.follow_decision(fields)

    def taken(self, past: PastRound) -> int:
        """Return what a reversal takes from the seats of a round."""
        due = [self.due(slip, past.outcome_of(seat)) for seat, slip in past.slips.items()]
        return sum(due) - sum(sum(slip.values()) for slip in past.slips.values())

    def follow_decision(self, fields: dict[str, Any]) -> None:
        number, seat = fields["round"], fields.get("seat")
        outcome = fields["outcome"] if fields["ruling"] == "settle" else None
        in_progress = self.open and number == self.number
        if seat is not None and in_progress:
            self.give_back(seat)
        elif seat is not None:
            self.decide_seat(number, seat, outcome)
        elif in_progress:
            self.end(outcome)
        else:
            self.restate(number, outcome)
