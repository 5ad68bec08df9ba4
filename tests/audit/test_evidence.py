"""Evidence in the journal: verify finds forged evidence, and a story tells who gave it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roundhouse import rulebooks
from roundhouse.audit.capsule import encode_capsule, make_capsule, read
from roundhouse.audit.capsule_check import verify_capsule
from roundhouse.audit.evidence_rows import Measurement
from roundhouse.audit.explain import RoundStory, story_of
from roundhouse.audit.journal_file import JournalFile
from roundhouse.audit.round_evidence import from_capsule, from_journal
from roundhouse.journal.seal import key_path, read_key
from roundhouse.table.names import RoundNumber, SeatId, TableId
from tests.support.disputes import MANAGER, MONEY, PIT, RAPID, play_disputes
from tests.support.forgery import edit, finding, query, rechain, reseal, rewrite, set_fact
from tests.support.journals import ROULETTE, SANDS, JournalHouse, bets, seat, spin

Edit = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("disputes") / "house.db"
    play_disputes(path)
    return path


@pytest.fixture
def disputes(played: Path, tmp_path: Path) -> Path:
    path = tmp_path / "house.db"
    shutil.copyfile(played, path)
    shutil.copyfile(key_path(played), key_path(path))
    return path


def story(path: Path, table: TableId, number: int, only: str | None = None) -> RoundStory:
    file = JournalFile(path)
    try:
        return story_of(from_journal(file, table, RoundNumber(number)), SeatId(only) if only else None)
    finally:
        file.close()


def test_a_journal_with_all_kinds_of_disputes_verifies(played: Path) -> None:
    assert finding(played) is None


def event(index: int, **fields: Any) -> Edit:
    return lambda entry: entry["events"][index].update(fields)


def without(index: int, name: str) -> Edit:
    return lambda entry: entry["events"][index].pop(name)


def no_second(entry: dict[str, Any]) -> None:
    """Remove the second person from the request and from all its events."""
    entry["request"].pop("second")
    for one in entry["events"]:
        one.get("source", {}).pop("second", None)
        one.pop("second", None)


def same_second(entry: dict[str, Any]) -> None:
    """Let the first person approve the request."""
    entry["request"]["second"] = entry["request"]["who"]
    for one in entry["events"]:
        if "source" in one:
            one["source"]["second"] = one["source"]["who"]
        if "second" in one:
            one["second"] = one["who"]


# Each forger has the key: the chain and the seals are those of the forged entry.
FORGED: list[tuple[str, TableId, int, Edit, str]] = [
    ("a reading is changed", ROULETTE, 13, event(0, outcome="18"), "rules give"),
    ("a reading is by the wheel", ROULETTE, 13, event(0, read_by="wheel"), "rules give"),
    (
        "a reading is by another person",
        ROULETTE,
        13,
        lambda e: e["events"][0]["source"].update(who="mei"),
        "rules give",
    ),
    ("an amended reading has another old value", ROULETTE, 14, event(0, was="19"), "rules give"),
    ("a spin has no source", ROULETTE, 10, without(0, "source"), "rules give"),
    ("a spin by hand was launched", ROULETTE, 10, without(0, "by_hand"), "rules give"),
    ("a report has more revolutions", ROULETTE, 25, event(0, revolutions=5), "rules give"),
    ("an earlier registration is hidden", ROULETTE, 16, without(0, "was"), "rules give"),
    ("a resolution has no second person", ROULETTE, 17, no_second, "rules give"),
    ("a resolution is approved by its author", ROULETTE, 17, same_second, "rules give"),
    ("a decision has no second person", ROULETTE, 28, no_second, "rules give"),
    ("a decision is on record", ROULETTE, 28, without(0, "off_record"), "rules give"),
    ("an interruption with one witness", ROULETTE, 59, no_second, "rules give"),
    ("an interruption that does not ask", ROULETTE, 58, without(0, "asks"), "rules give"),
    ("a dark terminal is hidden", ROULETTE, 32, event(0, terminals=["a"]), "rules give"),
    ("a returned stake is smaller", ROULETTE, 33, event(1, cents=600), "rules give"),
    ("a seat was void before", ROULETTE, 42, without(1, "was"), "rules give"),
    ("a suspicion is removed", ROULETTE, 51, without(0, "reason"), "rules give"),
    ("a skipped round is hidden", RAPID, 16, lambda e: e["events"].pop(0), "rules give"),
    ("a planned stop is an interruption", RAPID, 19, event(1, question="The power failed."), "rules give"),
    ("the matter of a later seat is hidden", ROULETTE, 67, lambda e: e["events"].pop(1), "rules give"),
    ("a decision on one's own reading is on record", ROULETTE, 74, without(0, "off_record"), "rules give"),
    ("a decision on one's own reading by one person", ROULETTE, 74, no_second, "rules give"),
    ("an amended reading had no segment", MONEY, 10, without(0, "was_segment"), "rules give"),
    ("an amended reading had another segment", MONEY, 10, event(0, was_segment=39), "rules give"),
    ("the start of a spin after a stop is hidden", MONEY, 15, lambda e: e["events"].pop(1), "rules give"),
    ("one person attests a spin after a stop", MONEY, 15, no_second, "rules give"),
    ("a spin after a stop starts elsewhere", MONEY, 15, event(1, from_segment=13), "rules give"),
    ("a chip has another value", SANDS, 1, event(0, chips=[50, 500, 2500, 10000]), "rules give"),
    ("a colour has another value", SANDS, 4, event(0, value_cents=500), "rules give"),
    ("a table opens under the first procedure", SANDS, 1, without(0, "procedure"), "rules give"),
    ("a table opens with real money", SANDS, 1, event(0, currency="SGD"), "rules give"),
    (
        "terms without an opening",
        SANDS,
        2,
        lambda e: e["facts"].update(house={"currency": "XXX"}),
        "terms of the house",
    ),
    ("offers without a seat", SANDS, 3, lambda e: set_fact(e, offers=[]), "offered packages"),
    ("an awaited number without a confirmation", SANDS, 9, lambda e: e["facts"].update(number_awaited=True), "awaited"),
    ("a ball on the line without a reading", SANDS, 9, lambda e: e["facts"].update(ball_on_line=True), "wheel's line"),
    ("a person acts as a program", SANDS, 9, lambda e: e["request"].update(by="automatic_dealer"), "reserved id"),
]


@pytest.mark.parametrize(("table", "seq", "forge", "what"), [one[1:] for one in FORGED], ids=[one[0] for one in FORGED])
def test_forged_evidence_is_detected_although_chain_and_seals_match(
    disputes: Path, table: TableId, seq: int, forge: Edit, what: str
) -> None:
    rewrite(disputes, table, seq, forge)
    reseal(disputes, table)
    found = finding(disputes)
    assert found is not None
    assert (found.table, found.entry) == (table, seq)
    assert what in found.what


def automatic(path: Path) -> None:
    """Let the automatic dealer confirm a round of play money without measured values."""
    house = JournalHouse(path)
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "hand_back"})
    program = {"by": "automatic_dealer"}
    for number, request in enumerate(({"do": "open_bets"}, *spin("17"))):
        command = {**request, **program}
        if request["do"] == "observe_spin":
            command |= {"revolutions": None, "ball": None, "wheel": None}
        house.as_program(ROULETTE, f"auto:{number}", command)
    house.close()


def test_a_confirmation_without_measured_values_says_so(tmp_path: Path) -> None:
    path = tmp_path / "house.db"
    automatic(path)
    assert finding(path) is None
    texts = [step.did for step in story(path, ROULETTE, 1).steps]
    assert "spin not measured: ball, wheel, revolutions" in texts
    confirmed = (
        "17 is confirmed by the automatic dealer and marked on the layout; not measured: ball, wheel, revolutions"
    )
    assert confirmed in texts
    ((seq,),) = query(path, "SELECT max(seq) FROM entries WHERE instr(body, 'result_confirmed')")
    rewrite(path, ROULETTE, seq, without(0, "not_measured"))
    reseal(path, ROULETTE)
    found = finding(path)
    assert found is not None
    assert (found.entry, "rules give" in found.what) == (seq, True)


def test_the_evidence_is_told_with_its_sources(played: Path) -> None:
    texts = [step.did for step in story(played, ROULETTE, 1).steps]
    for text in (
        "the spin is started by the Dealer (lena), by hand",
        "spin attested by the Dealer (lena): ball clockwise, wheel anticlockwise, 5 revolutions",
        "at rest: 18, read by the Dealer (lena)",
        "a further reading: 17, read by the Pit Supervisor (arun)",
        "the reading 18 is amended to 17 by the Dealer (lena)",
        "20 is registered at the Game Console by the Dealer (lena); 18 was registered before",
        "readings that differ are resolved to 17 by the Pit Supervisor (arun, with mei); 20 was registered before",
    ):
        assert text in texts


def rows(path: Path, number: int, only: str | None = None) -> list[tuple[object, ...]]:
    """Return the evidence of a round of ROULETTE: kind, who gave it, name and value, and the value before."""
    found = story(path, ROULETTE, number, only).evidence
    return [(row.kind.value, row.by, row.name, row.value, row.was) for row in found]


def test_the_evidence_is_listed_with_its_sources_for_screens(played: Path) -> None:
    lena, arun = "the Dealer (lena)", "the Pit Supervisor (arun)"
    assert rows(played, 1) == [
        ("start", lena, "", None, None),
        ("spin", lena, "ball", "clockwise", None),
        ("spin", lena, "wheel", "anticlockwise", None),
        ("spin", lena, "revolutions", "5", None),
        ("reading", lena, "", "18", None),
        ("reading", arun, "", "17", None),
        ("amendment", lena, "", "17", "18"),
        ("registration", lena, "", "18", None),
        ("registration", lena, "", "20", "18"),
        ("resolution", "the Pit Supervisor (arun, with mei)", "", "17", "20"),
        ("confirmation", lena, "", "17", None),
    ]
    found = story(played, ROULETTE, 1)
    assert found.evidence[0].by_hand
    assert {row.how for row in found.evidence if row.kind == "spin"} == {Measurement.ATTESTED}
    steps = {(step.entry, step.did) for step in found.steps}
    assert {(row.entry, row.words) for row in found.evidence} <= steps, "a row tells more than its step"


def test_decisions_changes_and_interruptions_are_evidence_with_both_persons(played: Path) -> None:
    both = "the Gaming Shift Manager (arun, with mei)"
    assert rows(played, 2)[-2:] == [
        ("referral", "the Pit Manager", "", None, None),
        ("decision", both, "", "4", None),
    ]
    assert [row[:2] for row in rows(played, 4) if row[0] == "change"] == [("change", "the Dealer"), ("change", both)]
    fifth = rows(played, 5)
    assert [row[0] for row in fifth[:4]] == ["start", "interruption", "reading", "interruption"]
    assert fifth[2][1] == "the Dealer (lena, with arun)"
    assert story(played, ROULETTE, 5).evidence[2].reason == "the line is cut"


def test_the_evidence_for_a_seat_has_no_names_reasons_or_other_seats(played: Path) -> None:
    for number in range(1, 6):
        found = story(played, ROULETTE, number, "a").evidence
        text = repr(found)
        assert found
        assert not any(secret in text for secret in ("lena", "arun", "mei", "the line is cut", "seat b", "seats a, b"))


def test_a_value_that_was_not_measured_is_listed_as_such(tmp_path: Path) -> None:
    path = tmp_path / "house.db"
    house = JournalHouse(path)
    house.open(ROULETTE, "mbs-electronic-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "racetrack", 1000), {"do": "open_bets"}, *spin("3")[:2])
    seen = {"wheel": "clockwise", "ball": None, "revolutions": None}
    house.do(ROULETTE, {"do": "observe_spin", "by": "dealer", "who": "lena", **seen})
    house.close()
    found = [(row.name, row.value, row.how) for row in story(path, ROULETTE, 1).evidence if row.kind == "spin"]
    assert found == [
        ("wheel", "clockwise", Measurement.ATTESTED),
        ("ball", None, Measurement.NOT_MEASURED),
        ("revolutions", None, Measurement.NOT_MEASURED),
    ]


def test_a_seat_reads_no_names_and_nothing_about_other_seats(played: Path) -> None:
    for number in (1, 2, 3, 4, 5):
        told = story(played, ROULETTE, number, "a")
        text = " ".join(step.did for step in told.steps)
        assert not any(name in text for name in ("lena", "arun", "mei")), text
        assert "seat b" not in text
        assert {bet.seat for verdict in told.verdicts for bet in verdict.bets} <= {"a"}


@pytest.mark.clause("mbs-electronic-double-zero", "5.14.1")
def test_bets_of_an_interrupted_terminal_are_settled_by_the_clause_on_registered_bets(played: Path) -> None:
    first, void, settled = story(played, ROULETTE, 3).verdicts
    of_a, of_b = first.bets
    assert (of_a.seat, of_a.returned, "5.14.1" in of_a.clauses) == ("a", 200, True)
    assert (of_b.seat, of_b.result, of_b.returned) == ("b", "returned", 700)
    assert [bet.result for bet in void.bets] == ["returned", "returned"]
    assert [(bet.seat, bet.result) for bet in settled.bets] == [("a", "won"), ("b", "returned")]
    assert {seats for verdict in (first, void, settled) for seats in verdict.disagrees} == set()
    # The decision on one seat leaves the outcome of the round.
    assert {verdict.outcome for verdict in (first, void, settled)} == {"3"}


def test_a_reinstated_round_tells_both_results(played: Path) -> None:
    void, again = story(played, ROULETTE, 4).verdicts
    assert (void.outcome, again.outcome) == (None, "7")
    assert [(change.seat, change.was, change.now) for change in again.changes] == [("a", 200, 400), ("b", 300, 0)]


def test_an_interruption_tells_what_the_wheel_showed(played: Path) -> None:
    steps = [(step.did, step.clauses) for step in story(played, ROULETTE, 5).steps]
    assert ("reopened after an interruption of round 5 (spinning): what does the wheel show?", ("5.13",)) in steps
    reading = "at rest: 9, read by the Dealer (lena, with arun); the wheel's line reported no ball"
    assert any(text.startswith(reading) for text, _ in steps)


def test_a_skipped_round_has_the_declaration_in_its_story(played: Path) -> None:
    assert story(played, RAPID, 1).steps[-1].did == "round 1 is void already (ball_broke): nothing changes"


def capsule_of(path: Path, table: TableId, number: int) -> Any:
    file = JournalFile(path)
    try:
        return make_capsule(file, table, RoundNumber(number), read_key(path))
    finally:
        file.close()


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_a_capsule_of_a_disputed_round_verifies(played: Path, number: int) -> None:
    capsule = read(encode_capsule(capsule_of(played, ROULETTE, number)))
    assert verify_capsule(capsule, read_key(played)).over
    told, directly = story_of(from_capsule(capsule)), story(played, ROULETTE, number)
    assert (told.verdicts, told.steps) == (directly.verdicts, directly.steps)


def test_a_round_is_corrected_by_its_own_rulebook_which_is_in_the_capsule(tmp_path: Path) -> None:
    path = tmp_path / "house.db"
    shipped = rulebooks.find_with_content("rws-double-zero")[1]
    house = JournalHouse(path)
    house.open(ROULETTE, "rws-double-zero")
    house.do(
        ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "open_bets"}, bets("a", straight_9=100)
    )
    house.do(ROULETTE, *spin("9", "8"), {"do": "close_table"})
    house.open(ROULETTE, "rws-double-zero", shipped.replace(b'version = "4"', b'version = "5"', 1))
    house.do(ROULETTE, {"do": "open_table"}, {"do": "correct_result", "round": 1, "outcome": "9", **PIT})
    house.close()
    assert finding(path) is None
    capsule = capsule_of(path, ROULETTE, 1)
    assert len(capsule.rulebooks) == 2
    assert verify_capsule(capsule, read_key(path)).outcome == "9"
    assert story(path, ROULETTE, 1).verdicts[-1].bets[0].returned == 3600


def test_a_reversal_ends_the_decision_on_a_seat(tmp_path: Path) -> None:
    """Without that, the bets of the seat could be voided twice, and its stake would leave the handle twice."""
    house = JournalHouse(tmp_path / "house.db")
    house.open(ROULETTE, "rws-double-zero")
    house.do(ROULETTE, {"do": "open_table"}, *seat("a", "rapid-a", 1000), {"do": "open_bets"}, bets("a", red=100))
    house.do(ROULETTE, *spin("2"), {"do": "refer", "round": 1, "question": "Which number?"})
    decide = {"do": "decide", "round": 1, "reason": "seen", **MANAGER}
    house.do(ROULETTE, {**decide, "ruling": "settle", "outcome": "3", "seat": "a"})
    house.do(ROULETTE, {"do": "declare", "irregularity": "ball_broke", "rounds": [1], **PIT})
    (answer,) = house.ask(ROULETTE, {**decide, "ruling": "void", "seat": "a"})
    assert answer.refusal == "round_is_void"
    meters = house.writers[ROULETTE].table.state.meters
    assert (meters.handle, meters.paid, meters.rounds) == (0, 0, 0)
    house.close()
    assert finding(house.path) is None


def test_an_inserted_adoption_is_detected(disputes: Path) -> None:
    """The last entry of a table is followed by a forged recovery that adopts a procedure."""
    ((seq, body),) = query(
        disputes, "SELECT seq, body FROM entries WHERE table_id = ? ORDER BY seq DESC LIMIT 1", RAPID
    )
    at = msgspec.json.decode(body)["facts"]["at"]
    forged = {
        "entry": "request.v1",
        "seq": seq + 1,
        "facts": {"at": at, "house": {"currency": "XXX"}},
        "events": [{"event": "procedure_adopted.v1", "procedure": 2, "currency": "XXX"}],
    }
    sql = "INSERT INTO entries VALUES (?, ?, ?, zeroblob(32))"
    edit(disputes, sql, RAPID, seq + 1, msgspec.json.encode(forged))
    edit(disputes, "UPDATE seals SET seq = seq + 1 WHERE table_id = ? AND seq = ?", RAPID, seq)
    rechain(disputes, RAPID)
    reseal(disputes, RAPID)
    found = finding(disputes)
    assert found is not None
    assert (found.table, found.entry) == (RAPID, seq + 1)
