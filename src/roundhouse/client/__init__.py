"""Python client of a Roundhouse server, for scripts that play or follow a table.

    from roundhouse.client import guest, at_table

It uses only the wire types, not the server's code. It reconnects when the connection or the server goes away.
"""

from roundhouse.client.cage import CageClient
from roundhouse.client.login import NotLetIn, enrol, guest, log_in
from roundhouse.client.table import TableClient, at_table
from roundhouse.client.view import Change, View

__all__ = ["CageClient", "Change", "NotLetIn", "TableClient", "View", "at_table", "enrol", "guest", "log_in"]
