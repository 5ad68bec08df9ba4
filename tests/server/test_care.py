"""A Player's protection through the server: over HTTP and sockets, with hand-made requests, and after leaving."""

from pathlib import Path
from typing import Any

import pytest

from roundhouse.config.schema import Guests
from tests.support.http_house import HttpHouse, http_house, staff_house
from tests.support.sockets import socket_house

TABLE = "/api/tables/roulette-1"
REQUESTS = f"{TABLE}/requests"


def ask(house: HttpHouse, caller: str, do: str, **fields: Any) -> dict[str, Any]:
    ask.count += 1  # type: ignore[attr-defined]
    request = {"id": f"care-{ask.count}", "do": do, **fields}  # type: ignore[attr-defined]
    found: dict[str, Any] = house.call(caller, "POST", REQUESTS, request).json()
    return found


ask.count = 0  # type: ignore[attr-defined]


def bet(cents: int) -> dict[str, Any]:
    return {"bets": [{"position": "red", "cents": cents}]}


def test_two_terminals_sockets_and_http_share_one_limit(tmp_path: Path) -> None:
    with socket_house(tmp_path) as house:

        async def script() -> None:
            async with house.at("terminal") as (one, _), house.at("terminal") as (two, _):
                set_at = await one.ask("set_protection", stake_cents=300)
                assert set_at["session"]["stake_left_cents"] == 300
                placed = await one.ask("place_bets", bets=[{"position": "red", "cents": 200}])
                assert (placed["ok"], placed["session"]["stake_left_cents"]) == (True, 100)
                again = await two.ask("place_bets", bets=[{"position": "black", "cents": 200}])
                assert again["refusal"] == "stake_limit"
                loosened = await two.ask("set_protection", stake_cents=None)
                assert loosened["session"]["limits"] == {"stake_cents": 300}
                assert list(loosened["session"]["pending"]) == ["stake_cents"]

        house.run(script())


@pytest.mark.parametrize(
    "caller", ["dealer", "cashier", "pit_manager", "shift_manager", "auditor", "terminal-2", "guest"]
)
def test_no_other_caller_changes_the_limits_of_a_player(house: HttpHouse, caller: str) -> None:
    for request in ({"do": "set_protection", "loss_cents": None}, {"do": "take_break", "minutes": 1}):
        answer = ask(house, caller, request.pop("do"), seat="1", **request)  # type: ignore[arg-type]
        assert not answer.get("ok")
        assert answer["refusal"] in ("not_authorised", "other_seat", "other_table")


def test_a_call_of_an_attendant_reaches_the_pit_and_is_cleared_by_staff(house: HttpHouse) -> None:
    assert ask(house, "terminal", "call_attendant")["ok"]
    state = house.call("pit_supervisor", "GET", f"{TABLE}/state").json()
    assert list(state["calls"]) == ["1"]
    assert ask(house, "terminal", "attend_call")["refusal"] == "not_authorised"
    assert ask(house, "dealer", "attend_call", seat="1")["ok"]
    assert house.call("pit_supervisor", "GET", f"{TABLE}/state").json()["calls"] == {}


def guest(house: HttpHouse) -> str:
    """Take a seat as a guest's browser does. Return its cookie."""
    answer = house.client.build_request("POST", "/api/guest", json={"table": "roulette-1"})
    found = house.runner.run(house.client.send(answer))
    assert found.status_code == 200, found.text
    cookie: str = found.headers["set-cookie"].partition(";")[0]
    return cookie


def post(house: HttpHouse, path: str, cookie: str, body: Any = None, csrf: str = "") -> Any:
    house.client.cookies.clear()
    headers = {"cookie": cookie, **({"x-csrf-token": csrf} if csrf else {})}
    return house.runner.run(house.client.post(path, json=body, headers=headers))


def left_cookie(answer: Any) -> str:
    (found,) = [one for one in answer.headers.get_list("set-cookie") if one.startswith("roundhouse-left=")]
    value: str = found.partition(";")[0]
    return value


def test_a_bet_that_wins_after_its_guest_has_left_is_kept_for_them(tmp_path: Path) -> None:
    with http_house(tmp_path, guests=Guests.LOOPBACK) as house:
        staff_house(house)
        assert house.call("dealer", "POST", REQUESTS, {"id": "o", "do": "open_table"}).json()["ok"]
        cookie = guest(house)
        house.client.cookies.clear()
        me = house.runner.run(house.client.get("/api/me", headers={"cookie": cookie})).json()
        csrf, seat = me["csrf"], me["terminal"]["seat"]

        def play(do: str, **fields: Any) -> dict[str, Any]:
            body = {"id": f"g-{do}", "do": do, **fields}
            found: dict[str, Any] = post(house, REQUESTS, cookie, body, csrf).json()
            assert found["ok"], found
            return found

        play("take_seat", terminal=me["terminal"]["terminal"])
        play("buy_credits", cents=1_000)
        assert ask(house, "dealer", "open_bets")["ok"]
        play("place_bets", **bet(400))
        play("cash_out")
        left = left_cookie(post(house, "/api/leave", cookie, None, csrf))
        claimed = post(house, "/api/claim", left, {"have": []})
        assert claimed.json() == {"tickets": [], "waiting_cents": 400}
        left = left_cookie(claimed)
        for do, fields in (
            ("close_bets", {}),
            ("start_spin", {}),
            ("observe_spin", {"revolutions": 9, "ball": "clockwise", "wheel": "anticlockwise"}),
            ("ball_at_rest", {"outcome": "1"}),
            ("register_result", {"outcome": "1"}),
            ("confirm_result", {}),
        ):
            assert ask(house, "dealer", do, **fields)["ok"], do
        first = post(house, "/api/claim", left, {"have": []}).json()
        again = post(house, "/api/claim", left, {"have": []})
        assert first == again.json()
        (ticket,) = first["tickets"]
        assert (ticket["cents"], first["waiting_cents"]) == (800, 0)
        # The seat is forgotten when the browser says that it has the ticket.
        after = post(house, "/api/claim", left_cookie(again), {"have": [ticket["ticket"]]})
        assert after.json()["tickets"] == []
        assert left_cookie(after) == "roundhouse-left="
        # Another guest's browser claims nothing, and the ticket is redeemed once.
        assert post(house, "/api/claim", "roundhouse-left=t1.wrong~x", {"have": []}).json()["tickets"] == []
        redeemed = ask(house, "terminal", "take_seat", terminal="rapid-a")
        assert seat != "1", redeemed
        assert ask(house, "terminal", "redeem_ticket", ticket=ticket["ticket"])["ok"]
        assert ask(house, "terminal", "redeem_ticket", ticket=ticket["ticket"])["refusal"] == "ticket_is_redeemed"


def test_only_a_guest_leaves(house: HttpHouse) -> None:
    assert house.call("terminal", "POST", "/api/leave", None).status_code == 403
    assert house.call("dealer", "POST", "/api/leave", None).status_code == 403
