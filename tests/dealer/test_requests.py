"""The automatic dealer's own requests: nobody takes their names, and none is repeated without end."""

import asyncio
from collections.abc import Sequence

from roundhouse.journal.entry import Answer, Seq
from roundhouse.rules.names import StaffPosition
from roundhouse.table.commands import AnyCommand, CallNoSpin
from roundhouse.table.names import RequestId
from roundhouse.table.refusals import Refusal
from roundhouse.wire.requests import decode_command
from tests.support.dealt_table import DealtTable, run_dealt_table


def test_nobody_takes_the_dealers_ids() -> None:
    """A player who knew the next version could otherwise use up the dealer's ids, and with them the table."""
    refused = decode_command(b'{"id": "auto:9:0", "by": "player", "do": "take_seat", "seat": "z", "terminal": "table"}')
    assert isinstance(refused, Answer)
    assert refused.refusal is Refusal.NOT_UNDERSTOOD


def test_a_request_that_the_table_does_not_take_is_not_repeated_without_end() -> None:
    """Ids that are used, by whatever way: the loop goes on for everybody else, and the dealer asks again later."""

    async def script(house: DealtTable) -> None:
        house.sit()
        await house.until("bets_opened")
        handle, asked = house.queue.handle, dict[float, int]()

        def counted(commands: Sequence[AnyCommand], expects: Seq | None = None) -> list[Answer]:
            now = asyncio.get_running_loop().time()
            asked[now] = asked.get(now, 0) + 1
            assert asked[now] < 20, "the dealer asks without a pause"
            return handle(commands, expects)

        house.queue.handle = counted  # type: ignore[method-assign]
        version = house.writer.version
        used = [RequestId(f"auto:{version + 2}:0")]
        house.queue.handle([CallNoSpin(id=id, by=StaffPosition.PLAYER) for id in used])
        assert house.ask("player", "take_seat", seat="z", terminal=next(iter(house.game.terminals))).ok
        await asyncio.sleep(30)
        assert house.ask("player", "show").ok
        assert house.ask("dealer", "call_no_spin").ok
        assert "id_is_used" in (await house.until("manual_mode_entered"))["reason"]

    run_dealt_table("mbs-electronic-double-zero", script)
