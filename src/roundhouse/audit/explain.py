"""Explains a round: its steps, the bets at closing, and the return of each bet with its clause.

The entries of the round are found by the journal's index and are not verified. Returns are computed again, and seats
whose recorded amount differs are listed.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from roundhouse.audit.evidence_rows import EvidenceRow, EvidenceRows
from roundhouse.audit.evidence_wording import Reader, title
from roundhouse.audit.round_evidence import Evidence
from roundhouse.audit.wording import concerns_seat, describe_event, describe_request, seat_of
from roundhouse.journal.entry import Entry, Seq
from roundhouse.journal.index import rounds_of
from roundhouse.rules.currency import PLAY_MONEY
from roundhouse.rules.game import Game
from roundhouse.rules.names import Clause, Pocket, PositionId
from roundhouse.rules.settlement import Prices
from roundhouse.table import events as e
from roundhouse.table.names import Millis, PersonName, RoundNumber, SeatId, TableId

STORY_FORMAT: Final = 2
"""Version of the JSON document. Since 2, times are milliseconds since 1970; before, text in Singapore time."""


class Step(Struct, frozen=True):
    """One event or refused request."""

    entry: Seq
    at: Millis
    by: str
    did: str
    clauses: tuple[Clause, ...] = ()
    seat: SeatId | None = None
    refused: str | None = None
    who: PersonName | None = None
    """Person who made the request. None if not recorded, and always None in the share of one seat."""
    second: PersonName | None = None
    """Person who approved the request. None in the same cases as ``who``."""

    @property
    def actor(self) -> str:
        """The position that acted, with the names of its persons: ``Pit Supervisor (arun, with lena)``."""
        names = ", with ".join(name for name in (self.who, self.second) if name)
        return f"{self.by} ({names})" if names else self.by


class ExplainedBet(Struct, frozen=True):
    """A bet with its result. Amounts are in cents."""

    seat: SeatId
    position: PositionId
    staked: int
    result: str
    """Result of the bet: ``won``, ``lost`` or ``returned`` (void round)."""
    returned: int
    clauses: tuple[Clause, ...]


class Verdict(Struct, frozen=True):
    """The result of the round, at its end or after a correction."""

    entry: Seq
    at: Millis
    words: str
    outcome: Pocket | None
    clauses: tuple[Clause, ...]
    bets: list[ExplainedBet]
    changes: tuple[e.Restated, ...] = ()
    disagrees: tuple[SeatId, ...] = ()
    """Seats whose recorded amount differs from the computed returns."""


class RoundStory(Struct):
    """The explanation of a round."""

    table: TableId
    round: RoundNumber
    game: str
    operator: str
    version: str
    rulebook: str
    steps: list[Step]
    standing: dict[SeatId, dict[PositionId, int]]
    """Stakes in cents on the layout at closing, or now if bets are open."""
    verdicts: list[Verdict]
    clauses: dict[Clause, str]
    """Text of every cited clause, from the rulebook in force."""
    format: int = STORY_FORMAT
    """Version of this document."""
    evidence: list[EvidenceRow] = []
    """Evidence of the round: the spin, readings, the registration, decisions and interruptions."""
    currency: str | UnsetType = UNSET
    """Currency in whose minor units the amounts are; missing for play money, which has two decimals."""


def story_of(evidence: Evidence, seat: SeatId | None = None) -> RoundStory:
    """Explain a round. With a seat, only steps and bets that concern that seat or the whole table are included."""
    return _Narrator(evidence, seat).tell()


class _Narrator:
    """Goes through the entries of a round and writes its story."""

    def __init__(self, evidence: Evidence, seat: SeatId | None) -> None:
        self._evidence = evidence
        self._seat = seat
        self._game = evidence.entries[0][1]
        """The game by which the round was played. Later corrections use its prices, too."""
        self._prices = {id: self._game.prices(id) for id in self._game.layouts}
        self._outcome: Pocket | None = None
        self._decided: dict[SeatId, Pocket | None] = {}
        """Seats that a decision settled by another outcome than the round's, or made void (``None``)."""
        self._interrupted: dict[SeatId, Clause] = {}
        """Seats whose terminals were interrupted, with the clause by which their registered bets are settled."""
        self._evidence_rows = EvidenceRows()
        rulebook = self._game.rulebook
        self._story = RoundStory(
            evidence.table,
            evidence.number,
            rulebook.title,
            rulebook.operator,
            rulebook.version,
            self._game.hash,
            [],
            {},
            [],
            {},
        )

    def tell(self) -> RoundStory:
        story, seat = self._story, self._seat
        for entry, played in self._evidence.entries:
            later = bool(story.verdicts)
            for event in entry.events:
                if not later or self._evidence.number in rounds_of(event):
                    self._add_event(entry, event, played)
            if entry.refusal is not None and not entry.events and not later:
                step = _refused_step(entry, played, self._evidence.currency)
                if seat is None:
                    story.steps.append(_named(step, entry))
                elif step.seat in (None, seat):
                    story.steps.append(step)
        if seat is not None:
            story.standing = {id: slip for id, slip in story.standing.items() if id == seat}
        story.evidence = self._evidence_rows.complete(self._game.rulebook)
        story.clauses = _clause_texts(story, [game for _, game in self._evidence.entries])
        if self._evidence.currency not in ("", PLAY_MONEY):
            story.currency = self._evidence.currency
        return story

    def _add_event(self, entry: Entry, event: e.AnyEvent, played: Game) -> None:
        seat = self._seat
        reader = Reader(played.rulebook, seat, self._evidence.currency)
        text, clauses = describe_event(event, reader)
        step = Step(entry.seq, entry.facts.at, _by(entry, played), text, clauses, seat_of(event))
        if seat is None:
            self._story.steps.append(_named(step, entry))
        elif concerns_seat(event, seat):
            self._story.steps.append(step)
        if seat is None or concerns_seat(event, seat):
            self._evidence_rows.add(event, text, entry, reader)
        self._track_bets(event)
        if isinstance(event, e.TerminalsInterrupted) and event.registered is not None:
            self._interrupted |= dict.fromkeys(event.terminals, event.registered)
        if getattr(event, "round", None) == self._evidence.number:
            self._add_verdict(entry, event, text, clauses)

    def _track_bets(self, event: e.AnyEvent) -> None:
        """Update ``standing``, the stakes on the layout, by an event."""
        standing = self._story.standing
        match event:
            case e.BetsPlaced(seat, bets) | e.BetsWithdrawn(seat, bets):
                if seat in self._decided:
                    # The seat bets again in a round in which its stake was returned.
                    del self._decided[seat], standing[seat]
                sign = 1 if isinstance(event, e.BetsPlaced) else -1
                slip = standing.setdefault(seat, {})
                for position, cents in bets.items():
                    slip[position] = slip.get(position, 0) + sign * cents
                standing[seat] = {position: cents for position, cents in slip.items() if cents}
            case e.StakeReturned(seat=seat):
                self._decided[seat] = None

    def _add_verdict(self, entry: Entry, event: e.AnyEvent, text: str, clauses: tuple[Clause, ...]) -> None:
        """Add the result of the round after an event that settles, voids or changes it."""
        changes: tuple[e.Restated, ...] = ()
        recorded: dict[SeatId, int] = {}
        match event:
            case e.RoundSettled():
                recorded = {seat: int(back) for seat, (_, back) in event.seats.items()}
                self._outcome = event.outcome
            case e.RoundVoided():
                recorded = {seat: int(back) for seat, back in event.seats.items()}
            case e.RoundCorrected() | e.RoundReversed() | e.RoundReinstated():
                changes = event.seats
                self._outcome = None if isinstance(event, e.RoundReversed) else event.outcome
                for change in changes:
                    self._decided.pop(change.seat, None)
            case e.SeatDecided():
                changes = (event.change,)
                self._decided[event.change.seat] = event.outcome
            case _:
                return
        recorded |= {change.seat: int(change.now) for change in changes}
        only = self._seat
        if isinstance(event, e.SeatDecided) and only not in (None, event.change.seat):
            return
        bets = self._bets(clauses)
        computed: Counter[SeatId] = Counter()
        for bet in bets:
            computed[bet.seat] += bet.returned
        disagrees = tuple(seat for seat, cents in recorded.items() if cents != computed[seat])
        if only is not None:
            bets = [bet for bet in bets if bet.seat == only]
            changes = tuple(change for change in changes if change.seat == only)
        verdict = Verdict(entry.seq, entry.facts.at, text, self._outcome, clauses, bets, changes, disagrees)
        self._story.verdicts.append(verdict)

    def _bets(self, clauses: tuple[Clause, ...]) -> list[ExplainedBet]:
        """Explain every bet by the outcome of its seat. ``clauses`` are those by which void bets are returned."""
        game, layouts = self._game, self._evidence.layouts
        returns = tuple(dict.fromkeys((*clauses, game.rulebook.settlement.void_returns)))
        found = []
        for seat, slip in self._story.standing.items():
            outcome = self._decided.get(seat, self._outcome)
            prices = self._prices[layouts[seat]]
            for position, cents in slip.items():
                bet = _bet(game, prices, seat, position, cents, outcome, returns)
                if outcome is not None and (registered := self._interrupted.get(seat)) is not None:
                    bet = replace(bet, clauses=(*bet.clauses, registered))
                found.append(bet)
        return found


def _by(entry: Entry, game: Game) -> str:
    return title(game.rulebook, entry.request.by) if entry.request is not None else "The table itself"


def _refused_step(entry: Entry, game: Game, currency: str) -> Step:
    assert entry.request is not None
    assert entry.refusal is not None
    reason = f": {entry.reason}" if entry.reason else ""
    clauses = (entry.clause,) if entry.clause else ()
    seat = seat_of(entry.request)
    text = (f"seat {seat} asked to " if seat else "asked to ") + describe_request(
        entry.request, Reader(game.rulebook, seat, currency)
    )
    refused = f"{entry.refusal}{reason}"
    return Step(entry.seq, entry.facts.at, _by(entry, game), text, clauses, seat, refused)


def _named(step: Step, entry: Entry) -> Step:
    request = entry.request
    if request is None:
        return step
    return replace(step, who=request.who or None, second=request.second or None)


def _bet(
    game: Game,
    prices: Prices,
    seat: SeatId,
    position: PositionId,
    cents: int,
    outcome: Pocket | None,
    returns: tuple[Clause, ...],
) -> ExplainedBet:
    if outcome is None:
        return ExplainedBet(seat, position, cents, "returned", cents, returns)
    if times := prices.times(outcome, position):
        return ExplainedBet(seat, position, cents, "won", cents * times, (game.pay_row(prices.layout.id, position),))
    return ExplainedBet(seat, position, cents, "lost", 0, (prices.clause(outcome, position),))


def _clause_texts(story: RoundStory, games: Iterable[Game]) -> dict[Clause, str]:
    cited: dict[Clause, None] = {}
    for step in story.steps:
        cited |= dict.fromkeys(step.clauses)
    for verdict in story.verdicts:
        cited |= dict.fromkeys(verdict.clauses)
        for bet in verdict.bets:
            cited |= dict.fromkeys(bet.clauses)
    texts: dict[Clause, str] = {}
    for game in games:
        for clause in cited:
            if clause in game.rulebook.clauses:
                texts.setdefault(clause, game.rulebook.clauses[clause])
    return {clause: texts.get(clause, "(not in the rulebook)") for clause in cited}
