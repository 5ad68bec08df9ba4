"""Counts what waits for people at each table, for the screen of a locked desk. It contains no other detail."""

from collections import Counter

from roundhouse.floor.projection import TableProjection
from roundhouse.server.context import ServerContext
from roundhouse.table.names import Phase, TableId
from roundhouse.table.view import is_withheld


def attention(service: ServerContext) -> dict[TableId, int]:
    """Return the number of matters, disputes, requests and alerts that wait at each table; only tables with any."""
    found: Counter[TableId] = Counter()
    for id, table in service.floor.tables.items():
        if not table.feed.failed:
            found[id] += _at(table.projection)
    for proposal in service.house.approvals.waiting(service.clock()):
        found[proposal.table] += 1
    for alert in service.house.alerts().values():
        if alert.table is not None:
            found[alert.table] += 1
    return {id: count for id, count in sorted(found.items()) if count}


def _at(projection: TableProjection) -> int:
    state = projection.state
    waits = len(state.referrals) + (len(state.disputes.open) if state.disputes else 0)
    return waits + (state.phase in (Phase.STOPPED, Phase.INTERRUPTED)) + is_withheld(state)
