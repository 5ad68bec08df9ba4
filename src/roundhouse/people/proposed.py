"""Types of what a person proposes to a second person: commands to a table or to the cage, and their effects."""

from roundhouse.cage.commands import AnyCageCommand
from roundhouse.cage.events import AnyCageEvent
from roundhouse.table.commands import AnyCommand
from roundhouse.table.events import AnyEvent

ProposedCommand = AnyCommand | AnyCageCommand
ProposedEvent = AnyEvent | AnyCageEvent
