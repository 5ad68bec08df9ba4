"""A client that follows the feed from the start has the same state as one that reads it over HTTP."""

import asyncio
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse import rulebooks
from roundhouse.dealer.loop import BetsCloseAt, WheelReliability, WheelStatus
from roundhouse.floor.batch import Rounds
from roundhouse.floor.projection import PastRounds, TableProjection
from roundhouse.journal.entry import Entry
from roundhouse.rules.game import Game
from roundhouse.rules.judge import Direction
from roundhouse.rules.names import Pocket, StaffPosition
from roundhouse.table.commands import CloseBets
from roundhouse.table.names import Phase, RequestId, RoundNumber
from roundhouse.table.state import KEPT_RESULTS, RoundRecord
from roundhouse.table.view import view_of
from roundhouse.wheel.protocol import Code, GameNumber, State
from tests.support.clocks import START
from tests.support.feeds import GAMES, LATE, SEATS, Follower, RandomRequests, feed_of_writer
from tests.support.tables import SPUN_FIRST, Play, each_game

SEEDS = (1, 2)
STEPS = 400


def plain(value: object) -> Any:
    """Convert to JSON types, as a client receives them."""
    return msgspec.json.decode(msgspec.json.encode(value))


def compare(follower: Follower, projection: TableProjection, published: bool) -> None:
    """Compare a follower with the projection. ``published``: the last step made a public change with its version."""
    view = follower.view
    assert view.table is not None
    table, expected = plain(view.table), plain(projection.public_table())
    if not published:
        # The version counts all entries, but an entry of a single seat makes no public change.
        assert table["version"] <= expected["version"]
        expected["version"] = table["version"]
    assert table == expected
    if follower.seat is not None:
        assert plain(view.seat) == plain(projection.own_seat(follower.seat))
    if follower.staff:
        assert plain(view.pit) == plain(projection.view())
        assert (view.awaiting, view.alert) == (projection.awaiting, projection.alert)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", GAMES, ids=lambda name: Path(name).stem)
def test_a_follower_from_the_start_has_the_state_that_http_returns(name: str, seed: int) -> None:
    asyncio.run(_night(name, seed))


async def _night(name: str, seed: int) -> None:
    night = RandomRequests(rulebooks.find(name), seed)
    dice, writer = night.dice, night.writer
    feed = feed_of_writer(writer, night.store)
    projection = feed.projection
    writer.on_committed = feed.committed
    steady = [Follower(feed, seat, False, 0.0, dice) for seat in (*SEATS, LATE, None)]
    steady.append(Follower(feed, None, True, 0.0, dice))
    audiences = ((SEATS[0], False), (None, False), (None, True))
    losing = [Follower(feed, seat, staff, 0.3, dice) for seat, staff in audiences]
    seen: set[object] = set()
    for step in range(STEPS):
        before = feed.public.last
        batch = [night.any() for _ in range(dice.choice([1, 1, 1, 2, 5]))]
        requesters: dict[str | None, Follower] = {}
        for command in batch:
            seat = getattr(command, "seat", "") if command.by is StaffPosition.PLAYER else ""
            at_seat = [one for one in steady if one.seat is not None and one.seat == seat]
            if at_seat and dice.random() < 0.8:
                requesters[command.id] = at_seat[0]
                at_seat[0].asked.add(command.id)
        for answer in writer.handle(batch):
            if answer.id in requesters:
                requesters[answer.id].handle_answer(answer)
        if dice.random() < 0.01:
            writer._stop("internal error", [])
        elif writer.table.state.phase is Phase.STOPPED and dice.random() < 0.3:
            writer.handle([night.command("shift_manager", "resume_table", reason="found", who="ann", second="ben")])
        feed.flush()
        for follower in steady:
            compare(follower, projection, published=feed.public.last > before)
        if dice.random() < 0.3:
            feed.apply_notice(night.notice())
            for follower in steady:
                compare(follower, projection, published=False)
        if step % 50 == 0:
            for follower in losing:
                follower.catch_up()
                compare(follower, projection, published=False)
        assert projection.view() == view_of(writer.table), "all decided entries are committed in this test"
        fields = projection.public_fields()
        seen |= {fields.phase, fields.deadline is None, fields.wheel and (fields.wheel.state, fields.wheel.reliable)}
    assert seen >= {Phase.STOPPED, Phase.IDLE, Phase.BETS_OPEN, True, False, ("not_connected", False)}
    assert writer.table.state.meters.voids
    assert not any(follower.gaps for follower in steady)
    assert not feed.failed


def test_the_result_list_has_the_same_length_for_a_follower() -> None:
    night = RandomRequests(rulebooks.find("mbs-electronic-double-zero"), 1)
    feed = feed_of_writer(night.writer, night.store)
    night.writer.on_committed = feed.committed
    follower = Follower(feed, None, False, 0.0, night.dice)
    for _ in range(KEPT_RESULTS + 3):
        for do in ("open_bets", "close_bets", "start_spin"):
            night.ask("dealer", do)
        night.ask("dealer", "call_no_spin", reason="a coin")
    assert follower.view.table is not None
    assert len(follower.view.table.last_results) == KEPT_RESULTS
    compare(follower, feed.projection, published=True)


def test_the_deadline_is_that_of_the_open_round() -> None:
    night = RandomRequests(rulebooks.find("mbs-electronic-double-zero"), 1)
    projection = feed_of_writer(night.writer, night.store).projection

    def apply_entries(entries: Sequence[Entry], rounds: Rounds) -> None:
        for entry in entries:
            projection.apply(entry, rounds)

    night.writer.on_committed = apply_entries
    projection.notice(BetsCloseAt(RoundNumber(1), 5.0, None))
    assert projection.public_fields().deadline is None, "bets are not open yet"
    night.ask("dealer", "hand_back")
    night.ask("dealer", "open_bets")
    assert projection.public_fields().deadline == 5000
    projection.notice(BetsCloseAt(RoundNumber(1), 5.05, None))
    assert projection.public_fields().deadline == 5000, "a repeated notice is the same deadline"
    projection.notice(BetsCloseAt(RoundNumber(1), 9.0, None))
    assert projection.public_fields().deadline == 9000
    night.ask("dealer", "close_bets")
    night.ask("dealer", "start_spin")
    night.ask("dealer", "call_no_spin", reason="a coin")
    night.ask("dealer", "open_bets")
    assert projection.public_fields().deadline is None, "this is the next round"


def test_a_reconnected_wheel_shows_its_last_status_again() -> None:
    night = RandomRequests(rulebooks.find("rws-double-zero"), 1)
    projection = feed_of_writer(night.writer, night.store).projection

    def wheel_fields() -> tuple[str, str, int, bool, str]:
        wheel = projection.public_fields().wheel
        assert wheel is not None
        return wheel.state, wheel.rotor, wheel.rotor_decirpm, wheel.reliable, wheel.use

    assert projection.public_fields().wheel is None
    projection.notice(WheelStatus(State.BALL_IN_RIM, GameNumber("1"), Code("17"), (), Direction.CLOCKWISE, 150))
    assert wheel_fields() == ("ball_in_rim", "clockwise", 150, True, "not_ready")
    projection.notice(WheelReliability(False, False, "the connection broke"))
    assert wheel_fields() == ("not_connected", "", 0, False, "not_connected")
    # An unchanged status is not sent again after the wheel reconnects.
    projection.notice(WheelReliability(True, True, ""))
    assert wheel_fields() == ("ball_in_rim", "clockwise", 150, True, "ready")
    projection.notice(WheelReliability(True, False, "the wheel reports a fault"))
    assert wheel_fields() == ("ball_in_rim", "clockwise", 150, False, "out_of_use")
    assert projection.alert == "the wheel reports a fault"
    projection.notice(WheelReliability(True, False, "no message for 3 s", silent=True))
    assert wheel_fields() == ("silent", "", 0, False, "silent"), "a silent wheel keeps its last speed"


class OneRoundArchive:
    """Contains round 1 with the outcome that the test sets."""

    def __init__(self) -> None:
        self.outcome, self.reads = Pocket("1"), 0

    def round(self, number: RoundNumber) -> RoundRecord | None:
        self.reads += 1
        return RoundRecord(number, self.outcome, {}, {}) if number == 1 else None

    def keep(self, record: RoundRecord) -> None:
        raise AssertionError("a projection stores no rounds")

    def game(self, rulebook: str) -> Game | None:
        self.reads += 1
        return None


def test_loaded_rounds_are_not_read_again_until_a_batch_changes_rounds() -> None:
    archive = OneRoundArchive()
    rounds, first, second = PastRounds(archive), RoundNumber(1), RoundNumber(2)
    assert rounds.missing([first, second]) == [first, second]
    rounds.add_loaded(rounds.load([first, second]))
    reads = archive.reads
    found = rounds.round(first)
    assert (found and found.outcome, rounds.round(second), rounds.missing([first, second])) == ("1", None, [])
    assert archive.reads == reads
    archive.outcome = Pocket("2")
    rounds.set_changed({second: RoundRecord(second, Pocket("3"), {}, {})})
    changed, current = rounds.round(second), rounds.round(first)
    assert (changed and changed.outcome, current and current.outcome) == ("3", "2")


def test_rounds_that_change_while_they_are_read_are_read_again() -> None:
    async def script() -> None:
        night = RandomRequests(rulebooks.find("rws-double-zero"), seed=1)
        projection = feed_of_writer(night.writer, night.store).projection
        past = projection._committed.past_rounds
        calls = 0
        load = past.load

        def load_and_change(numbers: Iterable[RoundNumber]) -> dict[RoundNumber, RoundRecord | None]:
            nonlocal calls
            calls += 1
            found = load(numbers)
            if calls == 1:
                past.set_changed({})
            return found

        past.load = load_and_change  # type: ignore[method-assign]
        await projection.load_rounds_for(CloseBets(id=RequestId("c"), by=StaffPosition.DEALER))
        assert calls == 2

    asyncio.run(script())


class ThreadedArchive:
    """An archive with one round of an older rulebook. It notes the threads that read it."""

    def __init__(self, older: Game) -> None:
        self.older, self.threads = older, set[int]()

    def round(self, number: RoundNumber) -> RoundRecord | None:
        self.threads.add(threading.get_ident())
        return RoundRecord(number, Pocket("1"), {}, {}, rulebook=self.older.hash) if number == 1 else None

    def keep(self, record: RoundRecord) -> None:
        raise AssertionError("a projection stores no rounds")

    def game(self, rulebook: str) -> Game | None:
        self.threads.add(threading.get_ident())
        return self.older if rulebook == self.older.hash else None


def test_rounds_and_their_older_rulebooks_are_loaded_in_another_thread() -> None:
    older, night = rulebooks.find("mbs-sands"), RandomRequests(rulebooks.find("rws-double-zero"), 1)
    archive, writer = ThreadedArchive(older), night.writer
    facts = feed_of_writer(writer, night.store).projection.facts
    projection = TableProjection(writer.id, writer.table, writer.version, night.game, facts, archive, lambda: START)
    request = night.command("pit_manager", "correct_result", round=1, outcome="2")
    asyncio.run(projection.load_rounds_for(request))
    asyncio.run(projection.load_rounds_for(night.command("dealer", "refer", question="?")))
    assert archive.threads
    assert threading.get_ident() not in archive.threads
    record = projection.table.archive.round(RoundNumber(1))
    assert record is not None
    assert projection.table.game_of(record) is older
    assert threading.get_ident() not in archive.threads, "the dry run reads no store"


def announced(play: Play) -> str | None:
    return feed_of_writer(play.writer, play.store).projection.public_fields().phrase


@pytest.mark.parametrize("wait", ["referred", "interrupted"])
@each_game()
def test_the_closing_phrase_stays_on_display_while_a_round_waits_for_people(
    game: str, wait: str, tmp_path: Path
) -> None:
    play = Play(tmp_path / "house.db", game).open("a")
    betting = play.game.rulebook.betting
    opens, closes = betting.opens.phrases[0], betting.closes.phrases[0]
    steps = ["open_bets", "start_spin", "close_bets"] if game in SPUN_FIRST else ["open_bets", "close_bets"]
    for waits_after_closing in (False, True):
        for do in steps if waits_after_closing else steps[:1]:
            play.ok(do)
        assert announced(play) == (closes if waits_after_closing else opens)
        if wait == "referred":
            play.ok("refer", round=play.number, question="was it struck?")
        else:
            play.reopen()
        assert play.phase in ("referred", "interrupted")
        assert announced(play) == (closes if waits_after_closing else None), "no bets are taken while the round waits"
        if play.phase == "interrupted":
            play.ok("refer", round=play.number, question="what now?")
            assert announced(play) == (closes if waits_after_closing else None)
        play.ok("decide", round=play.number, ruling="void", reason="it was")
        assert announced(play) is None
    play.store.close()
