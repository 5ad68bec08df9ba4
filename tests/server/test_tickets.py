"""Only the holder of a ticket gets its number. The QR code encodes a number without looking it up."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.houses import ROULETTE
from tests.support.http_house import HttpHouse
from tests.support.sockets import socket_house

NUMBER = "09876543210000000017"
SIZE, QUIET, FINDER = 21, 4, 7


def test_the_qr_code_encodes_the_ticket_number(ready_house: HttpHouse) -> None:
    for number in (NUMBER, "0" * 20, "9" * 20):
        answer = ready_house.call("terminal", "GET", f"/api/tickets/{number}/qr.svg")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
        assert answer.headers["cache-control"] == "no-store", "a ticket number is worth money and must not be cached"
        assert read(answer.text) == number


@pytest.mark.parametrize("number", ["1", "x" * 20, "1" * 19, "1" * 21, "1" * 19 + "\n", "１" * 20, "1" * 19 + "%2F"])
def test_a_malformed_ticket_number_is_refused(ready_house: HttpHouse, number: str) -> None:
    answer = ready_house.call("dealer", "GET", f"/api/tickets/{number}/qr.svg".replace("\n", "%0A"))
    assert answer.status_code in (400, 404)
    assert answer.json()["refusal"] in ("not_understood", "no_such_page")


OUT = {"id": "out-1", "do": "cash_out"}
REQUESTS = "/api/tables/roulette-1/requests"


def approved_cash_out(house: HttpHouse, seat: str) -> dict[str, Any]:
    """Let a Dealer propose a cash-out and a Shift Manager approve it. Return the answer to the Shift Manager."""
    proposed = house.call("dealer", "POST", REQUESTS, {**OUT, "seat": seat})
    assert proposed.status_code == 202, proposed.text
    path = f"/api/proposals/{proposed.json()['proposal']}/approve"
    (approved,) = house.call("shift_manager", "POST", path, {}).json()["events"]
    assert re.fullmatch("…[0-9]{4}", approved["ticket"])
    return approved  # type: ignore[no-any-return]


def test_a_seat_without_a_terminal_is_cashed_out_to_the_person_who_asked(house: HttpHouse) -> None:
    house.do(ROULETTE, ("player", "take_seat", {"seat": "5", "terminal": "rapid-a"}))
    house.do(ROULETTE, ("cashier", "buy_credits", {"seat": "5", "cents": 3_000}))
    approved = approved_cash_out(house, "5")
    (issued,) = house.call("dealer", "POST", REQUESTS, {**OUT, "seat": "5"}).json()["events"]
    assert (issued["event"], issued["cents"]) == ("cashed_out.v1", approved["cents"])
    assert re.fullmatch("[0-9]{20}", issued["ticket"])
    assert issued["ticket"].endswith(approved["ticket"][1:])
    # Other people do not get it: the id belongs to the Dealer's request.
    for caller in ("cashier", "pit_manager", "terminal"):
        assert issued["ticket"] not in house.call(caller, "POST", REQUESTS, {**OUT, "seat": "5"}).text


def test_the_terminal_of_a_seat_gets_the_number_and_no_member_of_staff_does(tmp_path: Path) -> None:
    with socket_house(tmp_path) as sockets:

        async def script() -> None:
            async with sockets.at("terminal") as (player, _), sockets.at("dealer") as (dealer, _):
                asked = await player.ask("request_cash_out")
                assert asked["events"][0]["source"] == {"by": "player"}
                answer = await dealer.ask("cash_out", seat="1")
                (issued,) = answer["events"]
                assert re.fullmatch("…[0-9]{4}", issued["ticket"])
                frames = [frame for frame in await player.ask_all("ping") if "ticket" in frame.get("own", {})]
                (own,) = (frame["own"] for frame in frames)
                assert re.fullmatch("[0-9]{20}", own["ticket"]["number"])
                assert own["ticket"]["number"].endswith(issued["ticket"][1:])
                assert (own["ticket"]["cents"], own["ticket"]["by"]) == (issued["cents"], "dealer")
                assert own["events"][0]["source"] == {"by": "dealer"}, "no name of staff"

        sockets.run(script())


def test_staff_auditors_and_capsules_see_no_number(house: HttpHouse) -> None:
    (issued,) = house.call("terminal", "POST", REQUESTS, OUT).json()["events"]
    number = issued["ticket"]
    assert re.fullmatch("[0-9]{20}", number)
    for caller, page in (
        ("auditor", "/api/significant-events"),
        ("pit_manager", "/api/significant-events"),
        ("pit_manager", "/api/tables/roulette-1/state"),
        ("auditor", "/api/tables/roulette-1/rounds/1/capsule"),
        ("auditor", "/api/tables/roulette-1/rounds/1"),
    ):
        answer = house.call(caller, "GET", page)
        assert answer.status_code == 200, (page, answer.text)
        assert number not in answer.text


def read(svg: str) -> str:
    """Decode the digits of a version 1 QR code, without error correction."""
    dark = set(modules(svg))
    # The mask is in the format bits next to the upper left finder pattern.
    places = [(8, column) for column in (0, 1, 2, 3, 4, 5, 7, 8)]
    format = [int(place in dark) ^ bit for place, bit in zip(places, (1, 0, 1, 0, 1, 0, 0, 0))]
    mask = format[2] * 4 + format[3] * 2 + format[4]
    bits = "".join(str(int((place in dark) ^ masked(mask, *place))) for place in data())
    assert bits[:4] == "0001", "not in numeric mode"
    count, rest = int(bits[4:14], 2), bits[14:]
    digits = ""
    while len(digits) < count:
        left = count - len(digits)
        length, width = (3, 10) if left >= 3 else (left, 3 * left + 1)
        digits += str(int(rest[:width], 2)).zfill(length)
        rest = rest[width:]
    return digits


def modules(svg: str) -> Iterator[tuple[int, int]]:
    """Yield row and column of the dark modules. The drawing consists of horizontal strokes."""
    x = y = 0.0
    (path,) = re.findall(r'stroke="#000" d="([^"]+)"', svg)
    for step, numbers in re.findall(r"([Mmh])([-\d. ]+)", path):
        by = [float(number) for number in numbers.split()]
        if step == "h":
            yield from ((int(y) - QUIET, int(x) - QUIET + i) for i in range(int(by[0])))
            x += by[0]
        elif step == "M":
            x, y = by
        else:
            x, y = x + by[0], y + by[1]


def data() -> Iterator[tuple[int, int]]:
    """Yield the positions of data bits in order: pairs of columns from the right, alternately up and down."""
    rising = True
    for right in (20, 18, 16, 14, 12, 10, 8, 5, 3, 1):
        for row in range(SIZE - 1, -1, -1) if rising else range(SIZE):
            for column in (right, right - 1):
                left, top, low = column <= FINDER + 1, row <= FINDER + 1, row >= SIZE - FINDER - 1
                in_corner = (left and (top or low)) or (column >= SIZE - FINDER - 1 and top)
                if not in_corner and row != 6 and column != 6:
                    yield row, column
        rising = not rising


def masked(mask: int, i: int, j: int) -> bool:
    return (
        (i + j) % 2,
        i % 2,
        j % 3,
        (i + j) % 3,
        (i // 2 + j // 3) % 2,
        i * j % 2 + i * j % 3,
        (i * j % 2 + i * j % 3) % 2,
        ((i + j) % 2 + i * j % 3) % 2,
    )[mask] == 0
