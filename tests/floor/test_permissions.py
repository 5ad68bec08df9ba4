"""The permissions in a subscriber's frames: sent once, then only what changed."""

import msgspec

from roundhouse import rulebooks
from roundhouse.floor.permissions import PermissionUpdates, TablePermissions, TerminalRights
from roundhouse.rules.names import Cents, StaffPosition, TerminalId
from roundhouse.table.limits import Bounds, Limits
from roundhouse.table.names import TableId
from tests.support.memory_store import MemoryStore
from tests.support.writers import command, open_writer

WITH_ACCEPTOR, WITHOUT = (TerminalRights(accepts, TerminalId("rapid-a")) for accepts in (True, False))
DEALER, PIT = (StaffPosition.DEALER,), (StaffPosition.PIT_MANAGER,)


def members(updates: PermissionUpdates) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = msgspec.json.decode("{" + updates.members().lstrip(",") + "}")
    return found


def test_a_subscriber_gets_the_permissions_that_changed() -> None:
    writer = open_writer(MemoryStore(), TableId("t"), rulebooks.find("rws-double-zero"))
    table = writer.table
    permissions = TablePermissions(table, has_dealer=False)
    terminals = [PermissionUpdates(permissions, WITH_ACCEPTOR) for _ in range(2)]
    dealer = PermissionUpdates(permissions, DEALER)
    for terminal in terminals:
        assert members(terminal).keys() == {"allowed", "bounds"}
        assert members(terminal) == {}
    assert members(dealer).keys() == {"allowed"}

    writer.handle([command("r1", "pit_manager", "open_table"), command("r2", "dealer", "open_bets")])
    assert members(dealer) == {}, "the feed has not updated the permissions yet"
    permissions.update(table, has_dealer=False)
    for terminal in terminals:
        changed = members(terminal)
        assert changed.keys() == {"allowed"}, "the limits are the same"
        assert "place_bets" in changed["allowed"]["commands"]  # type: ignore[operator]
    late = PermissionUpdates(permissions, WITH_ACCEPTOR)
    assert members(late).keys() == {"allowed", "bounds"}, "a new subscriber gets everything"

    permissions.update(table, has_dealer=True)
    assert members(terminals[0]) == {}, "only staff may hand the table back"
    table.set_limits(Limits(seat=Bounds(Cents(500), Cents(900))))
    permissions.update(table, has_dealer=True)
    assert members(terminals[0]).keys() == {"bounds"}


def test_other_rights_change_the_permissions_of_a_subscriber() -> None:
    writer = open_writer(MemoryStore(), TableId("t"), rulebooks.find("rws-double-zero"))
    writer.handle([command("r1", "pit_manager", "open_table")])
    permissions = TablePermissions(writer.table, has_dealer=False)
    updates = PermissionUpdates(permissions, WITH_ACCEPTOR)
    with_acceptor = members(updates)["allowed"]["commands"]
    updates.set_rights(WITHOUT)
    without = members(updates)
    assert without.keys() == {"allowed"}
    assert set(with_acceptor) - set(without["allowed"]["commands"]) == {"buy_credits"}  # type: ignore[call-overload]
    updates.set_rights(None)
    assert updates.members() == "", "an anonymous observer has no permissions"
    staff = PermissionUpdates(permissions, DEALER)
    assert members(staff).keys() == {"allowed"}
    staff.set_rights(DEALER)
    assert members(staff) == {}, "the same rights again change nothing"
    staff.set_rights(PIT)
    assert members(staff).keys() == {"allowed"}
