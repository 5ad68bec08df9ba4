"""A client of a house, for people who script against one: connect, ask, follow. It needs no part of the server.

    from roundhouse.client import guest, at_table

It stands on the types of the wire alone, and comes back by itself when the line or the house goes away.
"""

from roundhouse.client.login import NotLetIn, enrol, guest, log_in
from roundhouse.client.table import TableClient, at_table
from roundhouse.client.view import Change, View

__all__ = ["Change", "NotLetIn", "TableClient", "View", "at_table", "enrol", "guest", "log_in"]
