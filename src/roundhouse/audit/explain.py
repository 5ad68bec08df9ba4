"""The story of a round: who did what and when, what stood at closing, and what each bet came to by which clause.

It tells what the record says; that the record holds is for ``verify``. Each payout is worked out again all the
same, and a story that does not come to the recorded cents says so.

Finding a round in a journal or a capsule, quickly and without replaying everything before it.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from roundhouse.audit.capsule import Capsule, NoSuchRound, touches
from roundhouse.audit.discrepancy import fail
from roundhouse.audit.journal_file import JournalFile, RulebookSet, decoded
from roundhouse.audit.wording import describe_event, describe_request, seat_of, title
from roundhouse.journal.entry import ChainHash, Entry, Seq
from roundhouse.journal.index import OPENING, round_key, seat_key
from roundhouse.journal.store import Row
from roundhouse.rules.game import Game
from roundhouse.rules.names import Clause, LayoutId, Pocket, PositionId
from roundhouse.rules.settlement import Prices
from roundhouse.table import events as e
from roundhouse.table.names import Millis, PersonName, RoundNumber, SeatId, TableId

STORY_FORMAT: Final = 2
"""Since 2 an instant is a number of milliseconds since 1970; before, it was text in Singapore time."""


class Evidence(NamedTuple):
    """What a story is told from."""

    table: TableId
    number: RoundNumber
    entries: list[tuple[Entry, Game]]
    """From the opening of bets to the end of the round, then those that touched it later."""
    layouts: dict[SeatId, LayoutId]


class Step(Struct, frozen=True):
    entry: Seq
    at: Millis
    by: str
    did: str
    clauses: tuple[Clause, ...] = ()
    seat: SeatId | None = None
    refused: str | None = None
    who: PersonName | None = None
    """The person who asked, and who approved it, where the house knows them; never in a seat's share."""
    second: PersonName | None = None


class ExplainedBet(Struct, frozen=True):
    seat: SeatId
    position: PositionId
    staked: int
    result: str
    """``won``, ``lost`` or ``returned``."""
    returned: int
    clauses: tuple[Clause, ...]


class Verdict(Struct, frozen=True):
    """What the round came to: first, and after each correction."""

    entry: Seq
    at: Millis
    words: str
    outcome: Pocket | None
    clauses: tuple[Clause, ...]
    bets: list[ExplainedBet]
    changes: tuple[e.Restated, ...] = ()
    disagrees: tuple[SeatId, ...] = ()
    """Seats for which the bets, worked out here, do not come to the recorded cents."""


class RoundStory(Struct):
    table: TableId
    round: RoundNumber
    game: str
    operator: str
    version: str
    rulebook: str
    steps: list[Step]
    standing: dict[SeatId, dict[PositionId, int]]
    """What stood on the layout when bets closed, or stands there now."""
    verdicts: list[Verdict]
    clauses: dict[Clause, str]
    """Every clause that is cited, in the words of the rulebook in force."""
    format: int = STORY_FORMAT
    """Which version of this document it is."""


def story_of(evidence: Evidence, seat: SeatId | None = None) -> RoundStory:
    """The story, or one seat's share of it."""
    game = evidence.entries[0][1]
    rulebook = game.rulebook
    story = RoundStory(
        evidence.table, evidence.number, rulebook.title, rulebook.operator, rulebook.version, game.hash, [], {}, [], {}
    )
    for entry, played in evidence.entries:
        later = bool(story.verdicts)
        for event in entry.events:
            if later and getattr(event, "round", None) != evidence.number:
                continue
            step = _event_step(entry, event, played)
            if seat is None:
                story.steps.append(_named(step, entry))
            elif step.seat in (None, seat):
                story.steps.append(step)
            _stand(story, event)
            if getattr(event, "round", None) == evidence.number:
                _judge(story, evidence, entry, event, played, seat)
        if entry.refusal is not None and not entry.events and not later:
            step = _refused_step(entry, played)
            if seat is None:
                story.steps.append(_named(step, entry))
            elif step.seat in (None, seat):
                story.steps.append(step)
    if seat is not None:
        story.standing = {id: slip for id, slip in story.standing.items() if id == seat}
    story.clauses = _words_of(story, [game for _, game in evidence.entries])
    return story


def _by(entry: Entry, game: Game) -> str:
    return title(game.rulebook, entry.request.by) if entry.request is not None else "The table itself"


def _event_step(entry: Entry, event: e.AnyEvent, game: Game) -> Step:
    words, clauses = describe_event(event)
    return Step(entry.seq, entry.facts.at, _by(entry, game), words, clauses, seat_of(event))


def _refused_step(entry: Entry, game: Game) -> Step:
    assert entry.request is not None
    assert entry.refusal is not None
    reason = f": {entry.reason}" if entry.reason else ""
    clauses = (entry.clause,) if entry.clause else ()
    seat = seat_of(entry.request)
    words = (f"seat {seat} asked to " if seat else "asked to ") + describe_request(entry.request)
    refused = f"{entry.refusal}{reason}"
    return Step(entry.seq, entry.facts.at, _by(entry, game), words, clauses, seat, refused)


def _named(step: Step, entry: Entry) -> Step:
    request = entry.request
    if request is None:
        return step
    return replace(step, who=request.who or None, second=request.second or None)


def _stand(story: RoundStory, event: e.AnyEvent) -> None:
    """The chips on the layout, move by move."""
    match event:
        case e.BetsPlaced(seat, bets) | e.BetsWithdrawn(seat, bets):
            sign = 1 if isinstance(event, e.BetsPlaced) else -1
            slip = story.standing.setdefault(seat, {})
            for position, cents in bets.items():
                slip[position] = slip.get(position, 0) + sign * cents
            story.standing[seat] = {position: cents for position, cents in slip.items() if cents}


def _judge(
    story: RoundStory, evidence: Evidence, entry: Entry, event: e.AnyEvent, game: Game, only: SeatId | None
) -> None:
    match event:
        case e.RoundSettled():
            recorded = {seat: int(back) for seat, (_, back) in event.seats.items()}
        case e.RoundVoided():
            recorded = {seat: int(back) for seat, back in event.seats.items()}
        case e.RoundCorrected() | e.RoundReversed():
            recorded = {change.seat: int(change.now) for change in event.seats}
        case _:
            return
    words, clauses = describe_event(event)
    outcome = event.outcome if isinstance(event, e.RoundSettled | e.RoundCorrected) else None
    back = tuple(dict.fromkeys((*clauses, game.rulebook.settlement.void_returns)))
    prices = {id: game.prices(id) for id in game.layouts}
    bets = [
        _bet(game, prices[evidence.layouts[seat]], seat, position, cents, outcome, back)
        for seat, slip in story.standing.items()
        for position, cents in slip.items()
    ]
    came_to: Counter[SeatId] = Counter()
    for bet in bets:
        came_to[bet.seat] += bet.returned
    disagrees = tuple(seat for seat, cents in recorded.items() if cents != came_to[seat])
    changes = event.seats if isinstance(event, e.RoundCorrected | e.RoundReversed) else ()
    if only is not None:
        bets = [bet for bet in bets if bet.seat == only]
        changes = tuple(change for change in changes if change.seat == only)
    at = entry.facts.at
    story.verdicts.append(Verdict(entry.seq, at, words, outcome, clauses, bets, changes, disagrees))


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


def _words_of(story: RoundStory, games: Iterable[Game]) -> dict[Clause, str]:
    cited: dict[Clause, None] = {}
    for step in story.steps:
        cited |= dict.fromkeys(step.clauses)
    for verdict in story.verdicts:
        cited |= dict.fromkeys(verdict.clauses)
        for bet in verdict.bets:
            cited |= dict.fromkeys(bet.clauses)
    words: dict[Clause, str] = {}
    for game in games:
        for clause in cited:
            if clause in game.rulebook.clauses:
                words.setdefault(clause, game.rulebook.clauses[clause])
    return {clause: words.get(clause, "(the rulebook has no words for it)") for clause in cited}


def from_journal(
    file: JournalFile, table: TableId, number: RoundNumber, read: dict[str, Game] | None = None
) -> Evidence:
    finding = _Finding(file, table, number, read)
    entries = finding.entries()
    return Evidence(table, number, entries, finding.layouts(entry for entry, _ in entries))


def from_capsule(capsule: Capsule) -> Evidence:
    shelf = RulebookSet((hash, text.encode()) for hash, text in capsule.rulebooks.items())
    entries: list[tuple[Entry, Game]] = []
    layouts: dict[SeatId, LayoutId] = {}
    over = False
    for part in capsule.parts:
        game = _on(shelf, part.rulebook)
        layouts |= {id: seat.layout for id, seat in part.state.seats.items()}
        for line in part.entries:
            entry = decoded(Row(line.seq, line.body.encode(), ChainHash(b""), None))
            for event in entry.events:
                if isinstance(event, e.TableOpened):
                    game = _on(shelf, event.rulebook)
                elif isinstance(event, e.SeatTaken):
                    layouts[event.seat] = game.terminals[event.terminal].layout.id
            if not over or touches(entry, capsule.round):
                entries.append((entry, game))
            over = over or _concludes(entry, capsule.round)
    return Evidence(capsule.table, capsule.round, entries, layouts)


def _concludes(entry: Entry, number: RoundNumber) -> bool:
    return any(isinstance(event, e.RoundSettled | e.RoundVoided) and event.round == number for event in entry.events)


def _on(shelf: RulebookSet, hash: str) -> Game:
    game = shelf.get(hash)
    if game is None:
        fail("a rulebook is missing", expected=hash, found=None)
    return game


class _Finding:
    """The entries of one round, found by the journal's index: the cost does not grow with the journal."""

    def __init__(self, file: JournalFile, table: TableId, number: RoundNumber, read: dict[str, Game] | None) -> None:
        self._file = file
        self._table = table
        self._number = number
        self._shelf = RulebookSet(file.rulebooks(), read)

    def _game(self, seq: Seq) -> Game:
        """The rulebook in play at an entry."""
        opening = self._file.last_about(self._table, OPENING, seq)
        opened = [event for event in opening.events if isinstance(event, e.TableOpened)] if opening else []
        if not opened:
            fail("no opening before", expected="an opening of the table", found=None, table=self._table, entry=seq)
        return _on(self._shelf, opened[-1].rulebook)

    def entries(self) -> list[tuple[Entry, Game]]:
        touching = self._file.entries_about(self._table, round_key(self._number))
        first = next((entry for entry in touching if _opens(entry, self._number)), None)
        if first is None:
            raise NoSuchRound(f"table '{self._table}' has no round {self._number}")
        last = next((entry.seq for entry in touching if _concludes(entry, self._number)), Seq(2**62))
        within = [decoded(row) for row in self._file.entries_between(self._table, first.seq, last)]
        # No table is opened in the middle of a round: one rulebook serves all of it.
        game = self._game(first.seq)
        later = [(entry, self._game(entry.seq)) for entry in touching if entry.seq > last]
        return [*((entry, game) for entry in within), *later]

    def layouts(self, entries: Iterable[Entry]) -> dict[SeatId, LayoutId]:
        """Of the seats that bet in these entries."""
        bets = (event for entry in entries for event in entry.events if isinstance(event, e.BetsPlaced))
        return {seat: layout for seat in {bet.seat for bet in bets} for layout in self._layout(seat)}

    def _layout(self, seat: SeatId) -> list[LayoutId]:
        """The layout of the terminal at which a seat was taken."""
        return [
            self._game(entry.seq).terminals[event.terminal].layout.id
            for entry in self._file.entries_about(self._table, seat_key(seat))
            for event in entry.events
            if isinstance(event, e.SeatTaken) and event.seat == seat
        ]


def _opens(entry: Entry, number: RoundNumber) -> bool:
    return any(isinstance(event, e.BetsOpened) and event.round == number for event in entry.events)
