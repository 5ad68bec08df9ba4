"""Requests: a repeated request gets its first answer, and an invalid line gets an answer with a reason."""

import json
from typing import Any

import msgspec
import pytest

from roundhouse.journal.entry import Answer
from roundhouse.wire.requests import MAX_LINE, decode_command
from tests.support.tables import Json, Play, Tables, each_game, evens, wins

GAME = "rws-double-zero"


def raw(play: Play, request: Json) -> bytes:
    """Send a request and return the bytes of its answer."""
    understood = decode_command(json.dumps(request).encode())
    assert not isinstance(understood, Answer)
    [answer] = play.writer.handle([understood])
    return msgspec.json.encode(answer)


@each_game()
def test_a_resent_request_gets_its_first_answer_byte_for_byte(game: str, table: Tables) -> None:
    """Repeat accepted and refused requests before and after closing, in a later round and after reopening."""
    play = table(game).open("a", "b", credits=1000)
    play.ok("open_bets")
    first: list[tuple[Json, bytes]] = []

    def send(do: str, **fields: Any) -> None:
        request = play.request(do, **fields)
        first.append((request, raw(play, request)))
        play._record(json.loads(first[-1][1]).get("events") or [])

    def repeat_all() -> None:
        version, state = play.writer.version, play.state_json()
        for request, answer in first:
            assert raw(play, request) == answer
        assert (play.writer.version, play.state_json()) == (version, state)

    bet = {evens(game): 100}
    send("place_bets", seat="a", bets=bet)
    send("place_bets", seat="a", bets={"nowhere": 100})
    send("place_bets", seat="a", bets={evens(game): 10_000})
    send("close_table", last_rounds=9)
    send("undo", seat="b")
    repeat_all()
    play.spin()
    send("place_bets", seat="b", bets=bet)
    send("withdraw_bets", seat="a", bets=bet)
    send("observe_spin", **play.spun(revolutions=4.5))
    repeat_all()
    if play.phase == "spinning":
        play.rest(wins(game)).ok("confirm_result")
    send("cash_out", seat="a")
    send("confirm_result")
    play.ok("open_bets")
    send("repeat", seat="b")
    repeat_all()
    play.reopen()
    repeat_all()
    assert len(first) == 11


def test_a_request_repeated_in_one_batch_is_executed_once(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    play.ok("open_bets")
    bet = play.request("place_bets", seat="a", bets={"red": 100})
    bought = play.request("buy_credits", seat="a", cents=5)
    answers = play.send(bet, bought, bet, bought)
    assert answers[0] == answers[2]
    assert answers[1] == answers[3]
    assert play.credits("a") == [905]


def test_another_request_with_a_used_id_is_refused(table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    first = play.request("buy_credits", seat="a", cents=5)
    answer = play.send(first)[0]
    (other,) = play.send({**first, "cents": 500})
    assert other["refusal"] == "id_is_used"
    assert play.send(first) == [answer]
    (other,) = play.send({"id": first["id"], "by": "dealer", "do": "open_bets"})
    assert other["refusal"] == "id_is_used"
    assert (play.phase, play.credits("a")) == ("idle", [1005])


def test_request_ids_are_separate_for_each_table(table: Tables) -> None:
    here = table(GAME).open("a", credits=1000)
    there = Play(here.path, GAME, "t2", beside=here).open("a", credits=1000)
    request = {"id": "the same", "by": "cashier", "do": "buy_credits", "seat": "a", "cents": 7}
    assert here.send(request)[0]["ok"]
    assert there.send(request)[0]["ok"]
    assert [*here.credits("a"), *there.credits("a")] == [1007, 1007]


def test_every_request_is_one_entry_and_the_version_counts_them(table: Tables) -> None:
    play = table(GAME)
    requests: list[tuple[str, Json]] = [
        ("open_table", {}),
        ("open_table", {}),
        ("take_seat", {"seat": "a", "terminal": "rapid-a"}),
        ("place_bets", {"seat": "a", "bets": {"red": 5}}),
    ]
    for version, (do, fields) in enumerate(requests, start=1):
        assert play.do(do, **fields)["version"] == version
        assert play.do("show")["version"] == version
    assert play.writer.version == 4


def test_entry_times_never_decrease_when_the_clock_is_set_back(table: Tables) -> None:
    play = table(GAME).open("a")
    at = play.writer.table.state.last_event_at
    play.clock._now -= 1_000_000  # type: ignore[assignment]
    play.ok("open_bets")
    assert play.writer.table.state.last_event_at == at


DEEP = 100_000
GOOD: Json = {"id": "r", "by": "cashier", "do": "buy_credits", "seat": "a", "cents": 5}


def line(**changes: Any) -> bytes:
    return json.dumps({key: value for key, value in {**GOOD, **changes}.items() if value is not ...}).encode()


LINES: dict[str, tuple[bytes, str | None]] = {
    "empty object": (b"{}", None),
    "no JSON": (b"open the bets, please", None),
    "half an object": (b'{"id": "r", "by": "dea', None),
    "two objects": (line() + line(), None),
    "a list": (b"[]", None),
    "a number": (b"17", None),
    "null": (b"null", None),
    "no UTF-8": (b'{"id": "\xff\xfe"}', None),
    "half a surrogate": (b'{"id": "\\ud800", "by": "player", "do": "show"}', None),
    "an unknown command": (line(do="levitate"), "r"),
    "no command": (line(do=...), "r"),
    "a number for the command": (line(do=7), "r"),
    "no position": (line(by=...), "r"),
    "an unknown position": (line(by="owner"), "r"),
    "no id": (line(id=...), None),
    "a number for the id": (line(id=7), None),
    "an empty id": (line(id=""), None),
    "a long id": (line(id="r" * 201), None),
    "an id with a NUL": (line(id="r\0"), None),
    "a field missing": (line(cents=...), "r"),
    "a field too many": (line(tip=1), "r"),
    "a field of another command": (line(bets=[]), "r"),
    "text for cents": (line(cents="5"), "r"),
    "float cents": (line(cents=5.0), "r"),
    "half a cent": (line(cents=0.5), "r"),
    "true cents": (line(cents=True), "r"),
    "no cents": (line(cents=None), "r"),
    "a number for a seat": (line(seat=1), "r"),
    "chips with too much": (
        line(do="place_bets", cents=..., bets=[{"position": "red", "cents": 5, "colour": "blue"}]),
        "r",
    ),
    "text for chips": (line(do="place_bets", cents=..., bets=["red"]), "r"),
    "float chips": (line(do="place_bets", cents=..., bets=[{"position": "red", "cents": 1e2}]), "r"),
    "an unknown ruling": (b'{"id":"r","by":"dealer","do":"decide","round":1,"ruling":"maybe","reason":"x"}', "r"),
    "an unknown direction": (
        b'{"id":"r","by":"dealer","do":"observe_spin","revolutions":4,"ball":"up","wheel":null}',
        "r",
    ),
    "numbers too large": (b'{"id":"r","by":"dealer","do":"observe_spin","revolutions":1e999}', "r"),
    "unknown limits": (b'{"id":"r","by":"dealer","do":"open_table","limits":{"chips":5}}', "r"),
    "deep": (b"[" * DEEP + b"]" * DEEP, None),
    "deep in an unknown command": (
        b'{"id":"r","do":"levitate","x":' + b"[" * DEEP + b"]" * DEEP + b"}",
        None,
    ),
    "deep in a field": (b'{"id":"r","by":"dealer","do":"open_bets","x":' + b'{"x":' * DEEP + b"1" + b"}" * DEEP, None),
    "endless": (b'{"id": "' + b"r" * MAX_LINE, None),
    "a number of many digits": (line(cents=...)[:-1] + b', "cents": ' + b"9" * 5000 + b"}", None),
}


@pytest.mark.parametrize("case", LINES)
def test_an_invalid_line_gets_an_answer_with_a_reason(case: str) -> None:
    bytes_, id = LINES[case]
    answer = decode_command(bytes_)
    assert isinstance(answer, Answer), answer
    assert (answer.ok, answer.refusal, answer.version) == (False, "not_understood", None)
    assert answer.reason
    assert answer.id in (id, "r"), "the sender may know its request by the id"
    msgspec.json.encode(answer)


@pytest.mark.parametrize("fields", [{"by": "system"}, {"by": "automatic_dealer"}, {"id": "auto:1"}, {"id": "house:1"}])
def test_no_client_acts_as_a_program(fields: dict[str, str]) -> None:
    answer = decode_command(line(**fields))
    assert isinstance(answer, Answer), answer
    assert (answer.ok, answer.refusal, answer.id) == (False, "not_authorised", fields.get("id", "r"))


def test_a_valid_line_is_decoded() -> None:
    assert not isinstance(decode_command(line()), Answer)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30, 10**300])
def test_numbers_of_any_size_are_answered_and_recorded(number: int, table: Tables) -> None:
    play = table(GAME).open("a", credits=1000)
    play.round("1", a={"red": 100})
    assert play.refused("buy_credits", seat="a", cents=number)[0] == "bad_amount"
    assert play.refused("refer", round=number, question="?")[0] == "no_such_round"
    assert play.refused("correct_result", round=number, outcome="2")[0] == "no_such_round"
    assert play.refused("decide", round=number, ruling="void", reason="x")[0] == "nothing_referred"
    assert play.refused("declare", "pit_manager", irregularity="ball_broke", rounds=[number])[0] == "no_such_round"
    play.bet(a={"red": 100})
    assert play.refused("place_bets", seat="a", bets={"red": number})[0] == "bad_amount"
    play.spin()
    directions = {"ball": "clockwise", "wheel": "anticlockwise"}
    assert play.refused("observe_spin", revolutions=number, **directions)[0] == "misreported"
    answer = play.do("place_bets", seat="a", bets={"red": number})
    assert answer["refusal"] == "bets_are_closed"
    play.reopen()
    assert play.credits("a") == [1000]
