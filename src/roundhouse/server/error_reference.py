"""Writes the reference page of error codes: ``python -m roundhouse.server.error_reference``."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

from roundhouse.cage.names import CageRefusal
from roundhouse.people.names import HouseRefusal
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.wire.messages import CODES, POLICY, CloseReason
from roundhouse.wire.problems import AnyErrorCode, ErrorCode, problem_of, status_of

OUTPUT = Path("docs/reference/errors.md")

_SOURCES: Final[dict[type[AnyErrorCode], str]] = {
    TableRefusal: "table",
    CageRefusal: "cage",
    HouseRefusal: "house",
    ErrorCode: "http",
    CloseReason: "socket",
}
_HEAD = """\
# Error codes

Written by `make wire` from `roundhouse.wire.problems`. Do not edit: a test compares them.

A code identifies an error and does not change between versions. An answer carries it in `refusal`,
a closed socket in the reason of its close frame. Programs should use the code. The `reason` beside
it is a message for people and may change.

| source | used in |
|---|---|
| `table` | a table's answer to a command, over HTTP or a socket |
| `cage` | the cage's answer to a command |
| `house` | an answer of the house about people, terminals and approvals |
| `http` | an HTTP error body, before the request reaches a table or the house |
| `socket` | the close frame of a socket |

A code with two sources has the same meaning in both. *Listed as* is the code under which the
OpenAPI document lists an HTTP error; the body carries the code of the first column. A request that
becomes a proposal has status 202 and the code `needs_second_person`.

Two codes differ between layers:

- `person_is_locked` and `account_is_locked` mean the same. Bodies carry `person_is_locked`; the
  OpenAPI document lists `account_is_locked`.
- `no_such_seat` and `no_such_terminal` have status 404 if the house looks up a resource, and 409
  if a table answers a command.

| code | source | HTTP status | listed as | close code |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the whole page in Markdown."""
    assert set(get_args(AnyErrorCode)) == set(_SOURCES)
    return _HEAD + "".join(_rows())


def _rows() -> Iterator[str]:
    codes: dict[str, list[AnyErrorCode]] = {}
    for source in _SOURCES:
        for code in source:
            codes.setdefault(code.value, []).append(code)
    for name, found in sorted(codes.items()):
        sources = [_SOURCES[type(code)] for code in found]
        over_http = [code for code in found if not isinstance(code, CloseReason)]
        statuses = dict.fromkeys(str(status_of(code)) for code in over_http)
        problems = dict.fromkeys(f"`{problem_of(code)}`" for code in over_http)
        closes = [str(CODES.get(code, POLICY)) for code in found if isinstance(code, CloseReason)]
        cells = (f"`{name}`", *(", ".join(cell) for cell in (sources, statuses, problems, closes)))
        yield f"| {' | '.join(cells)} |\n"


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
