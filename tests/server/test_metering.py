"""Bytes and frames are metered before they are parsed: a flood is paused, then closed, and others are served."""

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundhouse.server.limits import AddressBuckets
from roundhouse.server.metering import SLICE, FrameCutter, Meter, MeteredReader, cut_http
from roundhouse.server.protocol import connection_limits
from roundhouse.server.settings import Rates, Settings
from tests.support import virtual_time

MASK = bytes(4)
"""A mask that changes nothing."""
FRAMES = {
    "pong": b"\x8a\x80" + MASK,
    "ping": b"\x89\x85" + MASK + b"aaaaa",
    "empty ping": b"\x89\x80" + MASK,
    "empty continuation": b"\x00\x80" + MASK,
}
GENEROUS = Rates(1e9, 1_000_000_000)


def frame(payload: bytes) -> bytes:
    """Return a text frame of a client."""
    size = len(payload)
    if size < 126:
        return bytes((0x81, 0x80 | size)) + MASK + payload
    if size < 1 << 16:
        return bytes((0x81, 0x80 | 126)) + size.to_bytes(2) + MASK + payload
    return bytes((0x81, 0x80 | 127)) + size.to_bytes(8) + MASK + payload


@given(
    sizes=st.lists(st.sampled_from([0, 1, 7, 125, 126, 300, 65_535, 65_536]), max_size=12),
    cuts=st.lists(st.integers(1, 400), min_size=1, max_size=50),
    units=st.integers(1, 20),
)
def test_every_frame_is_charged_once_however_its_bytes_arrive(sizes: list[int], cuts: list[int], units: int) -> None:
    data = b"".join(frame(bytes(size)) for size in sizes)
    cutter, passed, cost, waiting = FrameCutter(), bytearray(), 0.0, bytearray()
    pieces = list(pieces_of(data, cuts))
    for piece in pieces:
        waiting += piece
        while waiting:
            size, spent = cutter(waiting, units)
            assert 0 < size <= len(waiting)
            assert 1 <= spent <= units + 2, "a slice exceeds its units by less than a frame and a KiB"
            passed += waiting[:size]
            del waiting[:size]
            cost += spent
    assert bytes(passed) == data
    assert cutter.between_frames
    assert cost >= len(sizes) + len(data) / 1024


def pieces_of(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    position, number = 0, 0
    while position < len(data):
        # The later cuts are large, so that a frame of 64 KiB does not take thousands of pieces.
        step = cuts[number] if number < len(cuts) else 10_000
        yield data[position : position + step]
        position, number = position + step, number + 1


def test_the_bytes_of_a_frame_are_charged_even_if_the_frame_never_ends() -> None:
    cutter = FrameCutter()
    assert cutter(bytearray(frame(bytes(65_536))[:30_000]), 1e9)[1] == pytest.approx(1 + 30_000 / 1024)
    assert not cutter.between_frames
    assert [cutter(bytearray(b"x"), 8)[1] for _ in range(3)] == [pytest.approx(1 + 1 / 1024)] * 3


def test_chunks_of_a_body_cost_by_their_number() -> None:
    chunked = bytearray(b"1\r\na\r\n" * 1000)
    size, cost = cut_http(chunked, 8)
    assert size == 2048
    assert cost > 150


class Connection:
    """A metered connection without a network, in virtual time."""

    def __init__(self, rates: Rates, addresses: AddressBuckets, max_debt_seconds: float = 10.0) -> None:
        self.loop = asyncio.get_running_loop()
        self.parsed: list[bytes] = []
        self.transport_reads, self.closed, self.blocked = True, False, False
        self.in_head = False
        """Whether the parsed bytes end within the head of a request."""
        self.transport = _Transport(self)
        self.reader = MeteredReader(
            self.transport,
            Meter(rates, addresses, "192.0.2.7", self.loop.time()),
            FrameCutter(),
            self._parse,
            is_blocked=lambda: self.blocked,
            max_debt_seconds=max_debt_seconds,
            on_debt=self._on_debt,
        )

    def _parse(self, data: bytes) -> bool:
        assert data, "the parser would take it for the end of the connection"
        self.parsed.append(data)
        return self.in_head

    def _on_debt(self) -> None:
        self.closed = True

    def reading(self) -> bool:
        return self.transport_reads

    def is_closed(self) -> bool:
        return self.closed

    @property
    def frames(self) -> int:
        return sum(map(len, self.parsed)) // len(FRAMES["pong"])


class _Transport(asyncio.Transport):
    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self._connection = connection

    def pause_reading(self) -> None:
        self._connection.transport_reads = False

    def resume_reading(self) -> None:
        self._connection.transport_reads = True

    def is_closing(self) -> bool:
        return self._connection.closed


def no_limit() -> AddressBuckets:
    return AddressBuckets(GENEROUS, 10)


def test_a_connection_in_debt_is_not_read_and_goes_on_at_its_rate() -> None:
    async def script() -> None:
        found = Connection(Rates(100.0, 80), no_limit())
        found.reader.receive(FRAMES["pong"] * 200)
        assert not found.reading()
        assert len(found.parsed) == 1, "other connections get their turn after one slice"
        assert found.frames <= SLICE
        await asyncio.sleep(0.001)
        assert 80 - SLICE <= found.frames <= 80
        await asyncio.sleep(2.0)
        assert found.frames == 200
        assert found.reading()
        assert not found.is_closed()

    virtual_time.run(script())


def test_the_head_of_a_request_that_arrives_byte_by_byte_is_read_more_and_more_rarely() -> None:
    async def script() -> None:
        found = Connection(GENEROUS, no_limit())
        found.in_head = True
        for _ in range(400):
            if found.reading():
                found.reader.receive(b"G")
            await asyncio.sleep(0.05)
        assert 8 + 20 <= len(found.parsed) <= 8 + 2 * 20, "after some free ones, one or two in a second"
        found.in_head = False
        await asyncio.sleep(1)
        found.reader.receive(b"x")
        assert found.reading()
        before = len(found.parsed)
        for _ in range(20):
            found.reader.receive(b"x")
        assert len(found.parsed) == before + 20

    virtual_time.run(script())


def test_a_connection_that_stays_in_debt_is_closed_and_what_waits_is_dropped() -> None:
    async def script() -> None:
        found = Connection(Rates(100.0, 80), no_limit(), max_debt_seconds=3.0)
        found.reader.receive(FRAMES["pong"] * 10_000)
        await asyncio.sleep(2.5)
        assert not found.is_closed()
        await asyncio.sleep(2.0)
        assert found.is_closed()
        assert not found.reader.backlog
        before = found.frames
        found.reader.receive(FRAMES["pong"])
        await asyncio.sleep(60)
        assert found.frames == before <= 80 + 4 * 100

    virtual_time.run(script())


def test_a_flood_in_small_pieces_is_closed_like_one_in_large_pieces() -> None:
    """The debt ends only when the bucket has recovered, not whenever nothing waits."""

    async def script() -> None:
        found = Connection(Rates(100.0, 80), no_limit(), max_debt_seconds=3.0)
        for _ in range(100):
            if found.reading():
                found.reader.receive(FRAMES["pong"] * 12)
            await asyncio.sleep(0.1)
        assert found.is_closed()

    virtual_time.run(script())


def test_a_burst_now_and_then_is_never_closed() -> None:
    async def script() -> None:
        found = Connection(Rates(100.0, 80), no_limit(), max_debt_seconds=3.0)
        for _ in range(200):
            assert found.reading()
            found.reader.receive(FRAMES["pong"] * 120)
            await asyncio.sleep(2.0)
        assert not found.is_closed()
        assert found.frames == 200 * 120

    virtual_time.run(script())


def test_all_connections_of_an_address_share_a_bucket_and_none_is_closed_for_the_others() -> None:
    async def script() -> None:
        addresses = AddressBuckets(Rates(100.0, 160), 10)
        found = [Connection(Rates(100.0, 80), addresses, max_debt_seconds=3.0) for _ in range(20)]
        for one in found:
            one.reader.receive(FRAMES["pong"] * 40)
        await asyncio.sleep(0.001)
        assert sum(one.frames for one in found) <= 160
        await asyncio.sleep(9.0)
        assert sum(one.frames for one in found) == 20 * 40
        assert not any(one.closed for one in found)

    virtual_time.run(script())


def test_bytes_wait_while_the_application_has_unread_messages() -> None:
    async def script() -> None:
        found = Connection(GENEROUS, no_limit())
        found.blocked = True
        found.reader.receive(FRAMES["pong"] * 20)
        found.reader.receive(FRAMES["pong"])
        await asyncio.sleep(1)
        assert (found.frames, found.reading()) == (0, False)
        found.blocked = False
        found.reader.unblock()
        await asyncio.sleep(1)
        assert (found.frames, found.reading()) == (21, True)

    virtual_time.run(script())


def test_a_connection_whose_waiting_bytes_grow_too_large_is_closed() -> None:
    async def script() -> None:
        found = Connection(Rates(1.0, SLICE), no_limit())
        for _ in range(20):
            found.reader.receive(bytes(100_000))
        assert found.is_closed()

    virtual_time.run(script())


def test_behind_a_proxy_the_clients_do_not_share_a_bucket() -> None:
    limits = connection_limits(Settings(), behind_proxy=True)
    assert limits.frames_per_address.per_second > 1e9
    assert connection_limits(Settings(), behind_proxy=False).frames_per_address == Settings().frames_per_address
