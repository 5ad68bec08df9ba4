"""A table that has stopped goes on when people have looked and its money is right; its round ended by the clause."""

import pytest
from msgspec import UNSET

from roundhouse.audit.verify import verify_journal
from roundhouse.floor.damaged import damaged_state
from roundhouse.journal.entry import encode
from roundhouse.journal.seal import key_of
from roundhouse.rules.loading import load
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import ResumeTable
from roundhouse.table.decide import decide
from roundhouse.table.decision import Facts
from roundhouse.table.names import Millis, RequestId, SeatId
from roundhouse.table.refusals import Refusal, Refused
from tests.support.tables import GAMES, Play, Tables, each_game, evens, kinds, wins
from tests.table.test_section_5_interruption import CONCLUDED, VOID, WITH, WITHOUT, spin_steps

WHY = {"reason": "the fault was found, and the software replaced"}


def stop(play: Play) -> None:
    """As after a bug of ours."""
    play.writer._stop("RuntimeError: a bug of ours", [])
    play.events.append({"event": "table_stopped.v1"})
    assert play.phase == "stopped"


def verified(play: Play) -> None:
    play.store.close()
    verify_journal(play.path, key_of(play.path))


@pytest.mark.parametrize("steps", [0, 1, 2])
@each_game(VOID)
def test_a_round_without_an_outcome_is_void_when_the_table_goes_on(game: str, steps: int, table: Tables) -> None:
    play = table(game).open("a", "b", credits=1000).bet(a={evens(game): 300}, b={evens(game): 70})
    for step in spin_steps(game)[:steps]:
        play.ok(step)
    phase, clause = play.phase, WITHOUT.get(game, "general law")
    stop(play)
    resumed, recovered, void = play.ok("resume_table", **WHY)
    assert (resumed["event"], resumed["reason"], resumed["by"]) == ("table_resumed.v1", WHY["reason"], "shift_manager")
    assert resumed["clause"] == play.game.rulebook.authority.decides.clause
    assert (recovered["phase"], recovered["irregularity"]) == (phase, "interrupted_without_outcome")
    assert (tuple(void["clauses"]), void["seats"]) == ((clause,), {"a": 300, "b": 70})
    assert (play.phase, play.credits("a", "b")) == ("idle", [1000, 1000])
    assert play.round(wins(game), a={evens(game): 100}) == 2
    verified(play)


@pytest.mark.parametrize("registered", [False, True])
@each_game(CONCLUDED)
def test_a_round_with_an_outcome_is_concluded_when_the_table_goes_on(
    game: str, registered: bool, table: Tables
) -> None:
    play = table(game).open("a", credits=1000).bet(a={evens(game): 300}).spin()
    play.ok("ball_at_rest", outcome=wins(game))
    if registered:
        play.ok("register_result", outcome=wins(game))
    stop(play)
    assert play.reopen() == [], "a table that has stopped waits for people, whoever opens it"
    _, recovered, settled = play.ok("resume_table", **WHY)
    assert recovered["clause"] == WITH.get(game, "general law")
    assert (settled["event"], settled["outcome"]) == ("round_settled.v1", wins(game))
    assert play.phase == "idle"
    verified(play)


def test_without_a_round_it_goes_on_where_it_stood(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000)
    stop(play)
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed"]
    assert (play.phase, play.writer.table.state.stopped) == ("idle", "")
    play.ok("close_table")
    stop(play)
    stop(play)
    play.ok("resume_table", **WHY)
    assert play.phase == "closed", "stopped twice, it stands where it stood before"
    verified(play)


def test_a_matter_that_was_referred_still_waits(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100})
    play.ok("refer", round=1, question="was it struck?")
    stop(play)
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed", "interruption_recovered"]
    assert play.phase == "referred"
    stop(play)
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed"], "it is known by now"
    play.ok("decide", round=1, ruling="void", reason="it was")
    assert play.credits("a") == [1000]
    verified(play)


def test_a_journal_from_before_that_was_noted_verifies(table: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100})
    play.ok("refer", round=1, question="was it struck?")
    stop(play)
    with monkeypatch.context() as older:
        older.setattr("roundhouse.table.lifecycle.recover_from", lambda *_: [])
        assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed"]
    play.ok("decide", round=1, ruling="stand", reason="it was not")
    assert play.phase == "bets_open"
    verified(play)


def test_readings_that_disagree_still_do(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100}).spin()
    play.ok("ball_at_rest", outcome="1", read_by="wheel")
    play.ok("register_result", outcome="2")
    stop(play)
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed", "interruption_recovered"]
    assert play.refused("confirm_result")[0] == "readings_disagree"
    verified(play)


def test_it_does_not_go_on_with_wrong_money(table: Tables) -> None:
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
    verified(play)


def test_a_snapshot_from_before_it_was_noted_where_a_table_stood_is_passed_over(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000).bet(a={"red": 100})
    stop(play)
    memory = play.writer.table.state
    memory.before_stop = UNSET
    row = play.store.row(play.id, play.writer.version)
    assert row is not None
    values = (play.id, row.seq, row.hash, encode(memory))
    play.store._db.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?)", values)
    play.reopen()
    assert kinds(play.ok("resume_table", **WHY)) == ["table_resumed", "interruption_recovered", "round_voided"]
    assert play.credits("a") == [1000]


def test_a_snapshot_of_a_table_that_never_stopped_is_what_it_was_before(table: Tables) -> None:
    play = table(GAMES[0]).open("a", credits=1000)
    assert b"before_stop" not in encode(play.writer.table.state)
    stop(play)
    play.ok("resume_table", **WHY)
    assert b"before_stop" not in encode(play.writer.table.state)


def test_a_table_that_was_never_opened_can_stop_and_go_on(table: Tables) -> None:
    play = table(GAMES[0])
    stop(play)
    play.reopen()
    play.ok("resume_table", **WHY)
    assert play.phase == "closed"
    play.open("a", credits=1000)
    verified(play)


@pytest.mark.parametrize("again", [False, True])
def test_a_new_rulebook_waits_for_the_opening_over_a_stop(again: bool, table: Tables) -> None:
    """Whoever lets it go on, the running table or one opened anew, and whoever verifies: all by one that counts."""
    play = table(GAMES[0]).open("a", credits=1000)
    play.ok("close_table")
    stop(play)
    content = play._content.replace(b"version = ", b"# another file\nversion = ", 1)
    play.game = load(content)
    play.store.keep_rulebook(play.game.hash, content)
    play.resume()
    if again:
        play.resume()
    play.ok("resume_table", **WHY)
    play.ok("open_table")
    play.round("1", a={"red": 100})
    verified(play)


def test_a_table_whose_journal_cannot_be_read_does_not_go_on_by_anybodys_word(table: Tables) -> None:
    asked = ResumeTable(id=RequestId("r"), by=StaffPosition.SHIFT_MANAGER, reason="it looks right")
    decided = decide(damaged_state(table(GAMES[0]).game, "the file is damaged"), asked, Facts(Millis(1)))
    assert (decided.events, decided.refused) == ([], Refused(Refusal.TABLE_IS_STOPPED, None, "the file is damaged"))


@pytest.mark.parametrize("game", GAMES)
def test_who_may_let_it_go_on_and_with_what_words(game: str, table: Tables) -> None:
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
