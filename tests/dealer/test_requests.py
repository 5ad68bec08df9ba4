"""The automatic dealer's request ids are reserved, and a refused request is not repeated endlessly."""

import asyncio
from collections.abc import Sequence

from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand, CallNoSpin
from roundhouse.table.names import RequestId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.requests import decode_command
from tests.support.dealt_table import DealtTable, run_dealt_table


def test_clients_cannot_use_the_dealers_request_ids() -> None:
    """A player who could use the dealer's next id would block the table."""
    refused = decode_command(b'{"id": "auto:9:0", "by": "player", "do": "take_seat", "seat": "z", "terminal": "table"}')
    assert isinstance(refused, Answer)
    assert refused.refusal is Refusal.NOT_AUTHORISED


def test_a_refused_request_is_retried_later_and_then_enters_manual_mode() -> None:
    """The dealer's next id is already used. Other requests are still handled, and the dealer retries after a pause."""

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        handle, requests_at = house.queue.handle, dict[float, int]()

        def counting_handle(commands: Sequence[AnyCommand], expects: Seq | None = None) -> list[Answer]:
            now = asyncio.get_running_loop().time()
            requests_at[now] = requests_at.get(now, 0) + 1
            assert requests_at[now] < 20, "the dealer retries without a pause"
            return handle(commands, expects)

        house.queue.handle = counting_handle  # type: ignore[method-assign]
        version = house.writer.version
        used = [RequestId(f"auto:{version + 2}:0")]
        house.queue.handle([CallNoSpin(id=id, by=StaffPosition.PLAYER) for id in used])
        assert house.ask("player", "take_seat", seat="z", terminal=next(iter(house.game.terminals))).ok
        await asyncio.sleep(30)
        assert house.ask("player", "show").ok
        assert house.ask("dealer", "refer", round=1, question="who bets here?").ok
        assert house.ask("shift_manager", "decide", round=1, ruling="stand", reason="anyone").ok
        assert "id_is_used" in (await house.until("manual_mode_entered"))["reason"]

    run_dealt_table("mbs-electronic-double-zero", script)
