"""Searches the rounds of one table for a list, in the order of their beginning."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from roundhouse.journal.entry import Seq
from roundhouse.journal.index import rounds_of
from roundhouse.office.columns import Column
from roundhouse.office.expectations import Compared, RoundTheory
from roundhouse.office.figures import Figures, count, count_seats
from roundhouse.office.kinds import kind_figures
from roundhouse.office.periods import Period
from roundhouse.office.records import Records
from roundhouse.office.round_facts import RoundFacts, facts_of
from roundhouse.office.round_money import money_of
from roundhouse.office.round_rows import RoundRow, RoundsQuery
from roundhouse.office.table_rounds import TableRounds
from roundhouse.office.ticket_rounds import TicketPlay
from roundhouse.table import events as e
from roundhouse.table.names import Millis, RoundNumber, SeatId, TableId

Place = tuple[Millis, TableId, RoundNumber]
"""Position of a round in a list: its beginning, table and number."""


_LATE = e.LateBetRefused | e.LateWithdrawalRefused


class Found(NamedTuple):
    """A round that was examined, with its row if it belongs to the list."""

    place: Place
    row: RoundRow | None


class RoundSearch:
    def __init__(
        self, records: Records, table: TableId, query: RoundsQuery, period: Period, play: list[TicketPlay] | None
    ) -> None:
        self._records, self._table = records, table
        self._query, self._period = query, period
        self._play = None if play is None else [one for one in play if one.table == table]
        self.rounds = TableRounds(records, table)

    def found(self, after: Place | None) -> Iterator[Found]:
        """Yield the rounds of the period after a place. With a column, a round has an event in the period."""
        numbers = self._numbers()
        if after is not None:
            place = self._place_among(numbers, after)
            numbers = numbers[:place] if self._query.newest else numbers[place:]
        for number in reversed(numbers) if self._query.newest else numbers:
            yield Found(self._place(number), self._row(number))

    def _place(self, number: RoundNumber) -> Place:
        return self.rounds.began_at(number), self._table, number

    def _place_among(self, numbers: list[RoundNumber], after: Place) -> int:
        """Return where the rest of a list begins, or where it ends if the latest round comes first."""
        bisect = bisect_left if self._query.newest else bisect_right
        return bisect(numbers, after, key=self._place)

    def _numbers(self) -> list[RoundNumber]:
        if self._play is not None:
            return sorted({number for one in self._play for number in self.rounds.between(one.first, one.last)})
        head = self._records.head(self._table).entries
        first, until = self._period
        begin = self._records.first_from(self._table, first) if first is not None else Seq(1)
        end = Seq(self._records.first_from(self._table, until) - 1) if until is not None else head
        found = self.rounds.between(begin, end) if begin <= end else []
        if self._query.column is Column.LATE_BETS:
            # Late bets name no round. They may be all that happened in the period.
            found = sorted({*found, *self.rounds.between(Seq(1), begin)[-1:]})
        return found

    def _row(self, number: RoundNumber) -> RoundRow | None:
        query, rounds = self._query, self.rounds
        facts = facts_of(rounds.entries(number), number)
        if not self._matches(number, facts):
            return None
        seats: set[SeatId] | None = {query.seat} if query.seat is not None else None
        if self._play is not None:
            seats = {one.seat for one in self._play if facts.began <= one.last and not _ended_before(facts, one.first)}
        money = money_of(rounds, number, facts, seats, query.kind)
        amount, exact = self._contribution(number, facts)
        if query.column is None:
            is_listed = bool(money.seats) or (seats is None and query.kind is None)
        else:
            is_listed = amount is not None or exact is not None
        if not is_listed:
            return None
        game = rounds.game(number)
        return RoundRow(
            table=self._table,
            round=number,
            game=game.id,
            rulebook=game.hash,
            began_at=facts.began_at,
            settled_at=facts.ended_at,
            outcome=facts.outcome,
            status=facts.status,
            dealer=facts.dealt.dealer,
            dealt_by=facts.dealt.names,
            decided_by=tuple(facts.decided_by),
            approved_by=tuple(facts.approved_by),
            seats=money.seats,
            staked=money.staked,
            returned=money.returned,
            win=money.staked - money.returned if facts.ended is not None else 0,
            adjusted_by=tuple(facts.adjustments),
            entry=facts.began,
            ended=facts.ended,
            amount=amount,
            exact=exact,
        )

    def _matches(self, number: RoundNumber, facts: RoundFacts) -> bool:
        """Return whether a round passes the filters that need no amounts."""
        query, period = self._query, self._period
        if query.column is None and self._play is None and not _is_within(period, facts):
            return False
        people = {*facts.dealt.names, *facts.decided_by, *facts.approved_by}
        return (
            query.status in (None, facts.status)
            and query.dealer in (None, facts.dealt.dealer)
            and (query.person is None or query.person in people)
            and (query.game is None or self.rounds.game(number).id == query.game)
        )

    def _contribution(self, number: RoundNumber, facts: RoundFacts) -> tuple[int | None, str | None]:
        """Return the contribution of the round to the figure of the column, or None twice if it has none."""
        column = self._query.column
        if column is None:
            return None, None
        if column.is_theory:
            return self._theory(number, facts, column)
        figures = self._figures(number, column)
        return (column.of(figures), None) if column.is_in(figures) else (None, None)

    def _theory(self, number: RoundNumber, facts: RoundFacts, column: Column) -> tuple[int | None, str | None]:
        if facts.ended_at is None or not self._period.contains(facts.ended_at):
            return None, None
        compared = self._compared(RoundTheory(self.rounds, number))
        if not compared.rounds:
            return None, None
        match column:
            case Column.THEORETICAL_WIN:
                return None, str(compared.theory.win)
            case Column.VARIANCE:
                return None, str(compared.theory.variance)
            case Column.THEORY_WIN:
                return compared.win, None
            case Column.THEORY_HANDLE:
                return compared.theory.staked, None
            case _:
                return compared.rounds, None

    def _compared(self, theory: RoundTheory) -> Compared:
        query = self._query
        if query.seat is not None:
            return theory.by_seat().get(query.seat, Compared())
        return theory.whole() if query.kind is None else theory.by_kind().get(query.kind, Compared())

    def _figures(self, number: RoundNumber, column: Column) -> Figures:
        """Count the events of the round in the period, as a report does."""
        query, period, figures = self._query, self._period, Figures()
        if query.kind is not None:
            return kind_figures(self.rounds, number, period).get(query.kind, figures)
        late = column is Column.LATE_BETS
        for entry in self.rounds.entries_during(number) if late else self.rounds.entries(number):
            if not period.contains(entry.facts.at):
                continue
            for event in entry.events:
                own = isinstance(event, _LATE) if late else number in rounds_of(event)
                if own and query.seat is not None:
                    count_seats(event, lambda seat: figures if seat == query.seat else Figures())
                elif own:
                    count(event, figures)
        return figures


def _is_within(period: Period, facts: RoundFacts) -> bool:
    """Return whether a round ended in the period, or began in it and is in progress."""
    return period.contains(facts.ended_at if facts.ended_at is not None else facts.began_at)


def _ended_before(facts: RoundFacts, seq: Seq) -> bool:
    return facts.ended is not None and facts.ended < seq


def exact_sum(rows: list[RoundRow]) -> Fraction:
    """Add up the amounts of rows, also those that are fractions."""
    return sum(
        (Fraction(row.exact) if row.exact is not None else Fraction(row.amount or 0) for row in rows), Fraction()
    )
