"""Golden journals: this version opens, continues and verifies journals that an earlier version wrote.

The archive in this folder is never changed; its README describes it. The tests use only the command line and
HTTP, so they do not depend on module names.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.golden_journals import (
    BET,
    DAY,
    GAMES,
    JOURNALS,
    a_round,
    archived,
    assert_holds,
    copy_of,
    deal,
    each,
    lines_of,
    request,
    sessions_by_table,
    verified,
)


@pytest.mark.parametrize("name", JOURNALS)
def test_a_journal_verifies_with_the_same_figures(golden: Path, tmp_path: Path, name: str) -> None:
    found = verified(copy_of(golden, name, tmp_path))
    assert found["verifies"]
    assert found["seals_checked"]
    # Notes are messages, which may change between versions.
    assert_holds(archived(golden, name, "verify.json"), found, without=("notes",))


@pytest.mark.parametrize("name", JOURNALS)
def test_a_report_gives_the_same_figures(golden: Path, tmp_path: Path, name: str) -> None:
    journal = copy_of(golden, name, tmp_path)
    groupings = ("table", "seat", "shift")
    commands = {by: ("report", str(journal), "--by", by, "--zone", "Asia/Singapore", "--json") for by in groupings}
    for by, found in each(commands, tmp_path / "reports").items():
        assert_holds(archived(golden, name, f"report-by-{by}.json"), found)


def assert_same_instants(found: Any, table: str, instants: Mapping[str, list[int]]) -> None:
    """Check that every ``at`` is the time of its entry, in milliseconds or as Singapore time as in the old version."""
    for item in (*found["steps"], *found["verdicts"]):
        millis = instants[table][item["entry"] - 1]
        moment = datetime.fromtimestamp(millis // 1000, UTC) + timedelta(hours=8)
        text = f"{moment:%Y-%m-%d %H:%M:%S}.{millis % 1000:03d}"
        assert item["at"] in (millis, text), item


@pytest.mark.parametrize("name", JOURNALS)
def test_an_explanation_is_the_same_apart_from_its_time_format(golden: Path, tmp_path: Path, name: str) -> None:
    journal = copy_of(golden, name, tmp_path)
    stories = {file.stem: json.loads(file.read_text()) for file in _stories(golden, name)}
    commands = {}
    for stem, story in stories.items():
        _, of_one, seat = stem.partition("-seat-")
        only = ("--seat", seat) if of_one else ()
        arguments = ("--table", story["table"], "--round", str(story["round"]))
        commands[stem] = ("explain", str(journal), *arguments, *only, "--json")
    instants = archived(golden, name, "instants.json")
    for stem, found in each(commands, tmp_path / "stories").items():
        assert_holds(stories[stem], found, without=("at",), where=stem)
        assert_same_instants(found, found["table"], instants)


def _stories(golden: Path, name: str) -> list[Path]:
    found = sorted((golden / "expected" / name / "stories").glob("*.json"))
    assert found
    return found


def test_an_old_capsule_verifies_and_can_be_explained(golden: Path, tmp_path: Path) -> None:
    capsules = sorted((golden / "expected" / "house" / "capsules").glob("*.capsule.json"))
    assert len(capsules) == len(GAMES)
    key = str(golden / "house" / "data" / "house.db.key")
    names = [file.name.removesuffix(".capsule.json") for file in capsules]
    commands = {name: ("verify", str(file), "--key", key, "--json") for name, file in zip(names, capsules)}
    for name, found in each(commands, tmp_path / "verified").items():
        assert_holds(archived(golden, "house", f"capsules/{name}.verify.json"), found, where=name)
    commands = {
        name: ("explain", str(file), "--round", name.rpartition("-")[2], "--json")
        for name, file in zip(names, capsules)
    }
    for name, found in each(commands, tmp_path / "explained").items():
        assert_holds(archived(golden, "house", f"stories/{name}.json")["verdicts"], found["verdicts"], without=("at",))


# Opening a journal and continuing to play.


@pytest.mark.parametrize("game", GAMES)
def test_a_repeated_request_gets_its_first_answer(golden: Path, tmp_path: Path, game: str) -> None:
    journal = copy_of(golden, f"deal-{game}", tmp_path)
    for table, sessions in sessions_by_table(golden, game).items():
        requests = [line for one in sessions for line in lines_of(journal.with_name(one["requests"]))]
        answers = [line for one in sessions for line in lines_of(journal.with_name(one["answers"]))[1:]]
        ready, *found = deal(journal, game, table, sessions[-1]["clock"] + DAY, requests)
        proven = next(one for one in archived(golden, f"deal-{game}", "verify.json")["tables"] if one["table"] == table)
        assert json.loads(ready) == {"ready": True, "version": proven["entries"], "recovered": []}
        assert len(found) == len(answers) == len(requests)
        for stored, again in zip(answers, found):
            if "version" in json.loads(stored):
                assert again == stored
            else:
                # The request is not in the journal: it was not understood or its id was already used.
                assert_holds(json.loads(stored), json.loads(again), without=("reason",))
    # No entry was added.
    assert_holds(archived(golden, f"deal-{game}", "verify.json"), verified(journal), without=("notes",))


@pytest.mark.parametrize("game", GAMES)
def test_a_table_opens_in_its_last_state(golden: Path, tmp_path: Path, game: str) -> None:
    journal = copy_of(golden, f"deal-{game}", tmp_path)
    for table, sessions in sessions_by_table(golden, game).items():
        clock = sessions[-1]["clock"] + DAY
        _, answer = deal(journal, game, table, clock, [request("show", "show", "player")])
        expected = archived(golden, f"deal-{game}", f"state-{table}.json")
        # A closed table shows the rulebook of its next opening, which may be a later one.
        later = ("rulebook",) if expected["phase"] == "closed" else ()
        assert_holds(expected, json.loads(answer)["state"], later, where=table)


@pytest.mark.parametrize("game", GAMES)
def test_play_continues_with_a_deal_journal(golden: Path, tmp_path: Path, game: str) -> None:
    """Play a round, cash out and close the table. The extended journal verifies."""
    journal = copy_of(golden, f"deal-{game}", tmp_path)
    position, outcome, pays = BET.get(game, ("straight:17", "17", 35))
    before = verified(journal)["tables"]
    for table, sessions in sessions_by_table(golden, game).items():
        old = archived(golden, f"deal-{game}", f"state-{table}.json")
        terminal = next(iter(old["seats"].values()))["terminal"]
        bets = [{"position": position, "cents": 200}]
        steps: list[tuple[str, str, dict[str, Any]]] = []
        if old["phase"] == "closed":
            steps.append(("open_table", "dealer", {}))
        steps += [
            ("take_seat", "player", {"seat": "new", "terminal": terminal}),
            ("buy_credits", "cashier", {"seat": "new", "cents": 1000}),
            ("open_bets", "dealer", {}),
            ("place_bets", "player", {"seat": "new", "bets": bets}),
            *((do, "dealer", fields) for do, fields in a_round(game, outcome)),
            ("cash_out", "player", {"seat": "new"}),
            ("close_table", "dealer", {}),
        ]
        lines = [request(f"on-{number}", do, by, **fields) for number, (do, by, fields) in enumerate(steps)]
        _, *answers = [json.loads(line) for line in deal(journal, game, table, sessions[-1]["clock"] + DAY, lines)]
        assert all(answer["ok"] for answer in answers), [answer for answer in answers if not answer["ok"]]
        settled = next(
            event for answer in answers for event in answer["events"] if event["event"] == "round_settled.v1"
        )
        assert settled["round"] == old["round"] + 1
        assert settled["seats"] == {"new": [200, 200 * (1 + pays)]}
        cashed = next(event for answer in answers for event in answer["events"] if event["event"] == "cashed_out.v1")
        assert cashed["cents"] == 800 + 200 * (1 + pays)
        found = next(one for one in verified(journal)["tables"] if one["table"] == table)
        earlier = next(one for one in before if one["table"] == table)
        assert found["entries"] == earlier["entries"] + len(lines)
        assert found["rounds"] == earlier["rounds"] + 1
        assert found["credits"] == earlier["credits"]
        assert found["phase"] == "closed"
        assert found["house"] == earlier["house"] - 200 * pays
