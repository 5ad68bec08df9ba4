"""Resuming a stopped table: its accounts must balance, and its round goes on as after an interruption."""

import pytest
from msgspec import UNSET

from roundhouse.audit.verify import verify_journal
from roundhouse.floor.damaged import damaged_state
from roundhouse.journal.derived import Derived, encode_derived, state_shape
from roundhouse.journal.entry import encode
from roundhouse.journal.seal import key_of, sealed_snapshot
from roundhouse.rules.loading import load
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import ResumeTable
from roundhouse.table.decide import decide
from roundhouse.table.decision import Facts
from roundhouse.table.names import Millis, RequestId, SeatId
from roundhouse.table.refusals import Refusal, Refused
from tests.support.tables import GAMES, Play, Tables, each_game, evens, kinds, wins
from tests.table.test_section_5_interruption import ASKING, CONCLUDED, NONE_STANDS, VOID, WITH, spin_steps

WHY = {"reason": "the fault was found, and the software replaced"}


def stop(play: Play) -> None:
    """Stop the table as after an internal error."""
    play.writer._stop("RuntimeError: internal error", [])
    play.events.append({"event": "table_stopped.v1"})
    assert play.phase == "stopped"


def assert_verifies(play: Play) -> None:
    play.store.close()
    verify_journal(play.path, key_of(play.path))


@pytest.mark.parametrize("steps", [0, 1, 2])
@each_game(VOID)
def test_a_round_without_an_outcome_waits_for_people_when_the_table_resumes(
    game: str, steps: int, table: Tables
) -> None:
    play = table(game).open("a", "b", credits=1000).bet(a={evens(game): 300}, b={evens(game): 70})
    for step in spin_steps(game)[:steps]:
        play.ok(step)
    phase = play.phase
    stop(play)
    resumed, recovered, *referred = play.ok("resume_table", **WHY)
    assert (resumed["event"], resumed["reason"], resumed["by"]) == ("table_resumed.v1", WHY["reason"], "shift_manager")
    assert resumed["clause"] == play.game.rulebook.authority.decides.clause
    assert recovered["phase"] == phase
    if game in ASKING:
        assert (play.phase, referred) == ("interrupted", [])
        play.ok("declare", irregularity=NONE_STANDS)
    else:
        assert (play.phase, kinds(referred)[-1]) == ("referred", "matter_referred")
        play.ok("decide", round=1, ruling="void", reason="the ball was taken out")
    assert (play.phase, play.credits("a", "b")) == ("idle", [1000, 1000])
    assert play.round(wins(game), a={evens(game): 100}) == 2
    assert_verifies(play)


@pytest.mark.parametrize("registered", [False, True])
@each_game(CONCLUDED)
def test_a_round_with_an_outcome_goes_on_when_the_table_resumes(game: str, registered: bool, table: Tables) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 300}).spin()
    play.ok("observe_spin", **play.spun())
    play.ok("ball_at_rest", outcome=wins(game))
    if registered:
        play.ok("register_result", outcome=wins(game))
    stop(play)
    assert play.reopen() == [], "reopening does not resume a stopped table"
    _, recovered, *_ = play.ok("resume_table", **WHY)
    assert recovered["clause"] == WITH.get(game, "general law")
    if game not in ASKING:
        play.ok("decide", round=1, ruling="stand", reason="the ball rests there")
    play.ok("register_result", outcome=wins(game))
    play.ok("confirm_result")
    assert (play.phase, play.credits("a")) == ("idle", [1300])
    assert_verifies(play)


def test_a_table_without_a_round_resumes_in_its_earlier_phase(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000)
    stop(play)
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed"]
    assert (play.phase, play.writer.table.state.stopped) == ("idle", "")
    play.ok("close_table")
    stop(play)
    stop(play)
    play.ok("resume_table", **WHY)
    assert play.phase == "closed", "stopping twice keeps the phase before the first stop"
    assert_verifies(play)


def test_a_referral_still_waits_after_resuming(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100})
    play.ok("refer", round=1, question="was it struck?")
    stop(play)
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed", "interruption_recovered"]
    assert play.phase == "referred"
    stop(play)
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed"], "the interruption is already recorded"
    play.ok("decide", round=1, ruling="void", reason="it was")
    assert play.credits("a") == [1000]
    assert_verifies(play)


def test_an_older_journal_without_the_recovery_event_verifies(table: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100})
    play.ok("refer", round=1, question="was it struck?")
    stop(play)
    with monkeypatch.context() as older:
        older.setattr("roundhouse.table.lifecycle.recover_from", lambda *_: [])
        assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed"]
    play.ok("decide", round=1, ruling="stand", reason="it was not")
    assert play.phase == "bets_open"
    assert_verifies(play)


def test_disagreeing_readings_still_disagree_after_resuming(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100}).spin()
    play.rest("1", "2")
    stop(play)
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed", "interruption_recovered"]
    assert play.refused("confirm_result")[0] == "readings_disagree"
    assert_verifies(play)


def test_a_table_with_inconsistent_money_does_not_resume(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000)
    seat = play.writer.table.state.seats[SeatId("a")]
    seat.credits += 1
    assert play.do("open_bets")["refusal"] == "table_is_stopped"
    answer = play.do("resume_table", **WHY)
    assert (answer["ok"], answer["refusal"]) == (False, "table_is_stopped")
    assert "seat a has 1001 cents" in answer["reason"]
    seat.credits -= 1
    (resumed,) = play.ok("resume_table", **WHY)
    assert "seat a has 1001 cents" in resumed["stopped"]
    assert play.phase == "idle"
    play.round("1", a={"red": 100})
    assert_verifies(play)


def test_an_older_snapshot_without_the_phase_before_the_stop_is_ignored(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100})
    stop(play)
    state = play.writer.table.state
    state.before_stop = UNSET
    row = play.store.row(play.id, play.writer.version)
    assert row is not None
    older = sealed_snapshot(
        key_of(play.path), play.id, row.seq, row.hash, encode(state), encode_derived(Derived(shape=state_shape()))
    )
    values = (play.id, row.seq, row.hash, older.memory, older.derived, older.seal)
    play.store._db.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?, ?, ?)", values)
    play.reopen()
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed", "interruption_recovered"]
    assert play.phase == "interrupted"


def test_a_snapshot_of_a_running_table_has_no_phase_before_the_stop(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000)
    assert b"before_stop" not in encode(play.writer.table.state)
    stop(play)
    play.ok("resume_table", **WHY)
    assert b"before_stop" not in encode(play.writer.table.state)


def test_a_table_that_was_never_opened_can_stop_and_resume(table: Tables) -> None:
    play = table(GAMES[0])
    stop(play)
    play.reopen()
    play.ok("resume_table", **WHY)
    assert play.phase == "closed"
    play.open("a", credits=1000)
    assert_verifies(play)


@pytest.mark.parametrize("reopened_twice", [False, True])
def test_a_new_rulebook_applies_from_the_next_opening_despite_a_stop(reopened_twice: bool, table: Tables) -> None:
    """The running table, a reopened table and verify all use the rulebook that was in force."""
    play = table(GAMES[0]).open("a", credits=1000)
    play.ok("close_table")
    stop(play)
    content = play._content.replace(b"version = ", b"# another file\nversion = ", 1)
    play.game = load(content)
    play.store.keep_rulebook(play.game.hash, content)
    play.resume()
    if reopened_twice:
        play.resume()
    play.ok("resume_table", **WHY)
    play.ok("open_table")
    play.round("1", a={"red": 100})
    assert_verifies(play)


def test_a_table_with_an_unreadable_journal_cannot_be_resumed(table: Tables) -> None:
    command = ResumeTable(id=RequestId("r"), by=StaffPosition.SHIFT_MANAGER, reason="it looks right")
    decision = decide(damaged_state(table(GAMES[0]).game, "the file is damaged"), command, Facts(Millis(1)))
    assert (decision.events, decision.refused) == ([], Refused(Refusal.TABLE_IS_STOPPED, None, "the file is damaged"))


@pytest.mark.parametrize("game", GAMES)
def test_resuming_needs_authority_a_reason_and_a_second_person(game: str, table: Tables) -> None:
    play = table(game).open("a", credits=1000)
    stop(play)
    clause = play.game.rulebook.authority.decides.clause
    for by in ("dealer", "pit_supervisor"):
        assert play.refused("resume_table", by, **WHY) == ("not_authorised", clause)
    assert play.refused("resume_table", "player", **WHY)[0] == "not_authorised"
    assert play.refused("resume_table", reason=" ") == ("no_reason_given", clause)
    for alone in ({"who": "anna"}, {"who": "anna", "second": "anna"}):
        assert play.refused("resume_table", **WHY, **alone)[0] == "needs_second_person"
    play.ok("resume_table", **WHY, who="anna", second="ben")
    assert play.phase == "idle"
