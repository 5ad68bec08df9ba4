"""Only the holder of a ticket gets its number. The QR code encodes a number without looking it up."""

import re
from collections.abc import Iterator

import pytest

from tests.support.http_house import HttpHouse

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


CASH_OUT = {"id": "out-1", "do": "cash_out", "seat": "1"}
REQUESTS = "/api/tables/roulette-1/requests"


def test_the_person_who_asked_gets_the_number_and_the_second_person_does_not(house: HttpHouse) -> None:
    proposed = house.call("dealer", "POST", REQUESTS, CASH_OUT)
    assert proposed.status_code == 202, proposed.text
    path = f"/api/proposals/{proposed.json()['proposal']}/approve"
    (approved,) = house.call("shift_manager", "POST", path, {}).json()["events"]
    assert re.fullmatch("…[0-9]{4}", approved["ticket"])
    (issued,) = house.call("dealer", "POST", REQUESTS, CASH_OUT).json()["events"]
    assert (issued["event"], issued["cents"]) == ("cashed_out.v1", approved["cents"])
    assert re.fullmatch("[0-9]{20}", issued["ticket"])
    assert issued["ticket"].endswith(approved["ticket"][1:])
    # Other people do not get it: the id belongs to the Dealer's request.
    for caller in ("cashier", "pit_manager", "terminal"):
        assert issued["ticket"] not in house.call(caller, "POST", REQUESTS, CASH_OUT).text


def test_staff_auditors_and_capsules_see_no_number(house: HttpHouse) -> None:
    (issued,) = house.call("cashier", "POST", REQUESTS, CASH_OUT).json()["events"]
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
