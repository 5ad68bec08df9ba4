"""Versions and files of a rulebook through ``roundhouse deal``: when they are in force, and for which rounds."""

from pathlib import Path
from typing import Any

from roundhouse import rulebooks
from tests.support.deal_acts import CORRECTS, DECIDES, START, WITHOUT_CLAUSE
from tests.support.deal_process import Deal
from tests.support.forgery import finding
from tests.support.tables import TWO, each_game


@each_game()
def test_r15_no_table_opens_before_its_rulebook_is_in_force(game: str, acts: Any) -> None:
    since = int(rulebooks.find(game).rulebook.effective.timestamp() * 1000)
    assert acts(game, clock=since - 60_000).refused("open_table") == "not_in_force"
    acts(game, clock=since).ok("open_table")


@each_game(DECIDES)
def test_r22_a_round_is_corrected_under_the_version_it_was_played_under(game: str, acts: Any, tmp_path: Path) -> None:
    play = acts(game).open().at("settled")
    play.ok("close_table")
    play.deal.end()
    text = rulebooks.find_with_content(game)[1].decode()
    newer = tmp_path / "newer.toml"
    version = rulebooks.find(game).rulebook.version
    newer.write_text(text.replace(f'version = "{version}"', 'version = "99"', 1), encoding="utf-8")
    play.deal = Deal(play.journal, str(newer), "--clock", str(START + 10**6))
    play.ok("open_table")
    play.ok("refer", round=1, question="It was another number.")
    events = play.ok("decide", round=1, ruling="settle", outcome=play.lost, reason="seen on film", **TWO)
    assert events[1]["event"] == "round_corrected.v1"
    assert play.credits() == 9_999_000


@each_game(CORRECTS)
def test_a_round_keeps_the_rulebook_file_it_was_played_under_in_the_same_version(
    game: str, acts: Any, tmp_path: Path
) -> None:
    """A file corrected in place has another hash. It holds from the next opening of the table."""
    play = acts(game)
    play.deal.end()
    text = rulebooks.find_with_content(game)[1].decode()
    older = tmp_path / "older.toml"
    price = 'bets = ["symbol:20"], numbers = 2, pays = 20' if play.win == 20_000 else "numbers = 1, pays = 35"
    older.write_text(text.replace(price, price[:-2] + "10"), encoding="utf-8")
    play.journal = tmp_path / "older.journal"
    play.deal = Deal(play.journal, str(older), "--clock", str(START))
    play.open().at("settled").bets().spin().attest().rest()
    assert play.credits() == 10_000_000 + 10_000 - 1000
    play.deal.kill()
    play.deal = Deal(play.journal, game, "--clock", str(START + 10**6))
    if game in WITHOUT_CLAUSE:
        play.ok("decide", round=2, ruling="stand", reason="the wheel shows it", who="sam")
    play.ok("register_result", outcome=play.won)
    play.ok("confirm_result")
    assert play.credits() == 10_000_000 + 20_000, "a round that began under a file ends under it"
    play.ok("close_table")
    play.ok("open_table")
    play.bets().spin().attest().settle()
    assert play.credits() == 10_000_000 + 20_000 + play.win, "the new file holds from the next opening"
    for outcome, difference in ((play.lost, -11_000), (play.won, 11_000)):
        before = play.credits()
        if game in WITHOUT_CLAUSE:
            play.ok("refer", round=1, question="It was another number.")
            play.ok("decide", round=1, ruling="settle", outcome=outcome, reason="seen on film", **TWO)
        else:
            play.ok("correct_result", round=1, outcome=outcome, **TWO)
        assert play.credits() - before == difference, "an old round is corrected under its own file"
    assert finding(play.journal) is None
