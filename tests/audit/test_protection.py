"""``audit verify`` proves by its own sums that no accepted bet passed a Player's limit.

The forger here has the key of the house and a program without the check, so that every decision fits its program.
"""

from pathlib import Path
from typing import Any

import pytest

from roundhouse.audit.discrepancy import DoesNotHold
from roundhouse.audit.verify import verify_journal
from roundhouse.journal.seal import key_of
from roundhouse.table import betting, cage, care, protection, seat_sessions
from roundhouse.table.names import Millis
from roundhouse.table.protection import MINUTE, CarriedProtection, HouseProtection, PlayLimits
from roundhouse.table.sessions import NOTHING
from tests.support.forgery import finding, rewrite
from tests.support.tables import Json, Play


def table(path: Path, limits: Json) -> Play:
    play = Play(path, "rws-double-zero").open("a", credits=10_000)
    play.ok("set_protection", seat="a", **limits)
    return play


def verified(play: Play) -> str:
    """Verify the journal. Return what is wrong with it; empty if nothing is."""
    play.store.close()
    try:
        verify_journal(play.path, key_of(play.path))
    except DoesNotHold as wrong:
        return wrong.discrepancy.what
    return ""


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The forger's program accepts every bet. It is also the program by which the journal is verified."""
    monkeypatch.setattr(betting, "refuse_bet", lambda *_: None)


PASSED = [
    ({"loss_cents": 1_000}, "beyond the Player's loss_cents"),
    ({"stake_cents": 1_000}, "beyond the Player's stake_cents"),
    ({"session_stake_cents": 1_000}, "beyond the Player's session_stake_cents"),
    ({"minutes": 1}, "after the Player's time limit"),
    ({"check_minutes": 1}, "although a reality check was due"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("limits", "what"), PASSED)
def test_a_bet_that_passed_a_limit_is_found(tmp_path: Path, limits: Json, what: str) -> None:
    play = table(tmp_path / "j", limits)
    play.ok("open_bets")
    play.clock.advance(2 * MINUTE)
    play.ok("place_bets", seat="a", bets={"red": 1_010})
    assert what in verified(play)


@pytest.mark.usefixtures("unchecked")
def test_a_bet_during_a_break_is_found(tmp_path: Path) -> None:
    play = table(tmp_path / "j", {"loss_cents": 10_000})
    play.ok("take_break", seat="a", minutes=5)
    play.bet(a={"red": 10})
    assert "during the Player's break" in verified(play)


@pytest.mark.usefixtures("unchecked")
def test_a_bet_without_a_required_limit_is_found(tmp_path: Path) -> None:
    play = Play(tmp_path / "j", "rws-double-zero")
    play.writer.facts.protection = HouseProtection(required=("minutes",))
    play.open("a").bet(a={"red": 10})
    assert "without a limit that the house requires" in verified(play)


@pytest.mark.usefixtures("unchecked")
def test_a_limit_is_followed_across_tables(tmp_path: Path) -> None:
    play = table(tmp_path / "j", {"loss_cents": 1_000})
    other = Play(play.path, "rws-double-zero", "t2", beside=play).open()
    other.ok("take_seat", seat="x", terminal="rapid-a")
    play.round("2", a={"red": 600})
    ticket = play.ok("cash_out", seat="a")[0]["ticket"]
    other.ok("redeem_ticket", seat="x", ticket=ticket)
    other.bet(x={"red": 410})
    assert "beyond the Player's loss_cents" in verified(play)


def test_a_raise_that_begins_too_early_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = protection.changed_limits
    monkeypatch.setattr(
        care, "changed_limits", lambda *found: honest(found[0], found[1], found[2], found[3], Millis(5))
    )
    play = table(tmp_path / "j", {"loss_cents": 1_000})
    play.ok("set_protection", seat="a", loss_cents=2_000)
    assert "begins too early" in verified(play)


def test_a_looser_limit_that_counts_at_once_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(care, "changed_limits", lambda *_: (PlayLimits(loss_cents=2_000), {}))
    play = Play(tmp_path / "j", "rws-double-zero").open("a")
    play.ok("set_protection", seat="a", loss_cents=2_000)
    monkeypatch.setattr(care, "changed_limits", lambda *_: (PlayLimits(loss_cents=3_000), {}))
    play.ok("set_protection", seat="a", loss_cents=3_000)
    # The verifier's program decides both alike, so only the proof can find it.
    monkeypatch.setattr(care, "changed_limits", lambda *found: (PlayLimits(loss_cents=found[2]["loss_cents"]), {}))
    assert "a looser loss_cents counts at once" in verified(play)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (lambda seat, at: None, "wrong loss_cents"),
        (lambda seat, at: CarriedProtection(PlayLimits(loss_cents=9_000), Millis(0)), "wrong loss_cents"),
    ],
)
def test_a_ticket_that_carries_a_wrong_protection_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Any, what: str
) -> None:
    monkeypatch.setattr(cage, "carried_protection", wrong)
    play = table(tmp_path / "j", {"loss_cents": 1_000})
    play.ok("cash_out", seat="a")
    assert what in verified(play)


def test_a_ticket_that_forgets_a_loss_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat_sessions, "figures_of", lambda _: NOTHING)
    play = table(tmp_path / "j", {"loss_cents": 1_000})
    play.round("2", a={"red": 600})
    play.ok("cash_out", seat="a")
    assert "wrong net result" in verified(play)


def test_a_forged_bet_in_a_finished_journal_is_found(tmp_path: Path) -> None:
    play = table(tmp_path / "j", {"loss_cents": 1_000})
    play.bet(a={"red": 1_000})
    seq = play.writer.version
    play.store.close()

    def enlarge(entry: dict[str, Any]) -> None:
        entry["request"]["bets"][0]["cents"] = 5_000
        entry["events"][0]["bets"]["red"] = 5_000

    rewrite(play.path, "t1", seq, enlarge)
    found = finding(play.path, with_key=False)
    assert found is not None
    assert found.entry == seq
    assert "loss_limit" in str(found.expected)
