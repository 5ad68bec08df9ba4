"""The base class of all commands to a table."""

from msgspec import UNSET, Struct, UnsetType

from roundhouse.rules.names import StaffPosition
from roundhouse.table.names import PersonName, RequestId


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", kw_only=True, gc=False):
    id: RequestId
    by: StaffPosition
    who: PersonName | UnsetType = UNSET
    """Account of the person who sent the command, if they are logged in."""
    second: PersonName | UnsetType = UNSET
    """Account of the second person who approved the command, if it needs approval."""
