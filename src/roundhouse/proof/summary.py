"""What a verification proved, in figures: for people as a table, for programs as it is."""

from msgspec import Struct

from roundhouse.journal.entry import ChainHash, Seq
from roundhouse.proof.house import HouseSummary
from roundhouse.table.names import Phase, TableId
from roundhouse.table.state import Table


class TableSummary(Struct, frozen=True):
    table: TableId
    game: str
    rulebook: str
    entries: int
    head: str
    """The hash of the last entry. Noted down elsewhere, it proves later that nothing was taken off the end."""
    seals: int
    phase: Phase
    rounds: int
    voids: int
    corrections: int
    bought: int
    handle: int
    paid: int
    tickets_in: int
    tickets_out: int
    credits: int
    """What the seats have, all together."""
    layout: int
    house: int
    shortfall: int


class Summary(Struct, frozen=True):
    verifies: bool
    tables: list[TableSummary]
    tickets_outstanding: int
    tickets_outstanding_cents: int
    seals_checked: bool
    notes: list[str]
    house: HouseSummary | None = None
    """Of the house's own chain, where it has one."""


def summary_of(id: TableId, table: Table, seq: Seq, head: ChainHash, seals: int) -> TableSummary:
    memory = table.memory
    meters = memory.meters
    return TableSummary(
        table=id,
        game=table.game.rulebook.title,
        rulebook=table.game.hash,
        entries=seq,
        head=head.hex(),
        seals=seals,
        phase=memory.phase,
        rounds=meters.rounds,
        voids=meters.voids,
        corrections=meters.corrections,
        bought=meters.bought,
        handle=meters.handle,
        paid=meters.paid,
        tickets_in=meters.tickets_in,
        tickets_out=meters.tickets_out,
        credits=sum(seat.credits for seat in memory.seats.values()),
        layout=memory.layout,
        house=memory.house,
        shortfall=-memory.shortfall,
    )
