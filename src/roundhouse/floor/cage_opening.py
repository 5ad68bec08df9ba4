"""Opens the cage of a house: its writer, its gaming days, and the terms of ``house.toml``."""

from collections.abc import Callable

from roundhouse.cage.names import Day
from roundhouse.config.cage_checks import terms_of_cage
from roundhouse.config.loading import Configuration
from roundhouse.floor.cage import RunningCage
from roundhouse.floor.cage_writer import CageWriter
from roundhouse.floor.clock import Clock
from roundhouse.floor.disputes import disputes_in
from roundhouse.floor.opening import CannotOpen, ticket_life_of
from roundhouse.floor.queue import Committer
from roundhouse.house.house import House
from roundhouse.journal.seal import Key
from roundhouse.journal.store import JournalDamaged, JournalUnavailable, Store
from roundhouse.office.gaming_days import Calendar
from roundhouse.table.names import Millis


def cage_of(
    configuration: Configuration,
    store: Store,
    key: Key,
    clock: Clock,
    committer: Committer,
    house: House,
    raise_alert: Callable[[str, str], None],
) -> RunningCage | None:
    """Open the cage that ``house.toml`` configures, or return ``None`` if it configures none."""
    if configuration.plan.cage is None:
        return None
    plan = configuration.plan.house
    calendar = Calendar(plan.time_zone, ",".join(sorted(plan.shifts)))

    def day_of(at: Millis) -> Day:
        return Day(calendar.shift(at).day.isoformat())

    try:
        writer = CageWriter(store, key, clock, day_of)
    except (JournalDamaged, JournalUnavailable) as error:
        raise CannotOpen(f"the cage cannot be opened: {error}") from error
    writer.is_disputed = disputes_in(lambda: house.writer.state, key)
    writer.ticket_life = ticket_life_of(configuration)
    if writer.ignored_snapshot:
        raise_alert("journal", "a snapshot of the cage was changed and is not used; its entries are replayed instead")
    return RunningCage(writer, committer, raise_alert)


async def begin_cage(cage: RunningCage, configuration: Configuration) -> None:
    """Record the terms of the house before the cage serves its first customer."""
    assert configuration.plan.cage is not None, "only a configured cage runs"
    try:
        await cage.set_terms(terms_of_cage(configuration.plan.cage, configuration.plan.house.currency))
    except JournalUnavailable as unavailable:
        raise CannotOpen(str(unavailable)) from unavailable
