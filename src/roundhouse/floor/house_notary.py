"""The notary of a running house: records its signing key, the tickets in dispute, and alerts about witnesses."""

import asyncio

from roundhouse.floor.alerts import AlertQueue
from roundhouse.floor.disputes import outstanding
from roundhouse.floor.notary import Notary
from roundhouse.floor.witnessing import Findings, LostSpan
from roundhouse.house.house import House
from roundhouse.journal.seal import Key
from roundhouse.journal.sqlite import SqliteStore
from roundhouse.journal.store import JournalUnavailable
from roundhouse.people.events import SigningKeySet, TicketsDisputed
from roundhouse.rules.currency import PLAY_MONEY, format_amount
from roundhouse.table.names import Millis

ALERT = "witness"


class HouseNotary:
    """Connects the notary with the house. Without a notary it does nothing."""

    def __init__(
        self,
        notary: Notary | None,
        findings: Findings | None,
        house: House,
        alerts: AlertQueue,
        key: Key,
        store: SqliteStore,
    ) -> None:
        self._notary, self._findings, self._house, self._alerts = notary, findings or Findings(), house, alerts
        self._key, self._store = key, store

    def check_key(self) -> None:
        """Raise ``JournalUnavailable`` if the house has recorded another signing key."""
        recorded = self._house.writer.state.signing_key
        if self._notary is not None and recorded and recorded != str(self._notary.key):
            raise JournalUnavailable(
                f"the signing key is {self._notary.key}, but the journal records {recorded}; restore the right key"
            )

    async def start(self, at: Millis) -> None:
        """Record what must be on record before a table opens, then start the notary."""
        if (notary := self._notary) is None:
            return
        state = self._house.writer.state
        if not state.signing_key:
            await self._house.note(SigningKeySet(str(notary.key)), at)
        if state.epoch and state.disputed_in != state.epoch:
            await self._dispute(state.epoch, self._findings.lost or LostSpan(False, {}), at)
        for sentence in self._findings.sentences():
            self._alerts.raise_alert(ALERT, sentence)
        loop = asyncio.get_running_loop()

        def report(text: str) -> None:
            loop.call_soon_threadsafe(self._alerts.raise_alert, ALERT, text)

        notary.report = report
        notary.start()

    async def _dispute(self, epoch: int, lost: LostSpan, at: Millis) -> None:
        nothing = lost.known and not lost.witnessed
        tickets = () if nothing else await asyncio.to_thread(outstanding, self._store, self._key)
        await self._house.note(TicketsDisputed(epoch, lost.witnessed, lost.known, tickets), at)
        self._alerts.raise_alert("restored", describe_restoration(epoch, lost, tickets, self._house.currency))

    async def sign_now(self) -> None:
        """Sign and store the newest heads, so that a capsule can prove them."""
        if self._notary is not None:
            await asyncio.to_thread(self._notary.flush)

    async def close(self) -> None:
        if self._notary is not None:
            await asyncio.to_thread(self._notary.close)


def describe_restoration(epoch: int, lost: LostSpan, tickets: tuple[object, ...], currency: str = PLAY_MONEY) -> str:
    begin = f"the journal was restored from a backup (epoch {epoch})"
    if not lost.known:
        what = "what was lost is unknown, because no witness knew the journal before or not all have answered"
    elif not lost.witnessed:
        return f"{begin}; by the witnesses, no entry was lost"
    else:
        what = "lost: " + ", ".join(f"{chain} up to entry {size}" for chain, size in sorted(lost.witnessed.items()))
    cents = sum(getattr(ticket, "cents", 0) for ticket in tickets)
    worth = format_amount(cents, currency)
    text = f"{len(tickets)} tickets worth {worth} are in dispute; each needs a second person's approval"
    return f"{begin}; {what}; {text}"
