"""Writes the reference page of all error codes: ``python -m roundhouse.server.error_reference``."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

from roundhouse.people.names import HouseRefusal
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.wire.messages import CODES, POLICY, CloseReason
from roundhouse.wire.problems import AnyErrorCode, ErrorCode, problem_of, status_of

OUTPUT = Path("docs/reference/errors.md")

_SOURCES: Final[dict[type[AnyErrorCode], str]] = {
    TableRefusal: "table",
    HouseRefusal: "house",
    ErrorCode: "http",
    CloseReason: "socket",
}
_HEAD = """\
# Error codes

Written by `make wire` from `roundhouse.wire.problems`. Do not edit: a test compares them.

A code is a word that does not change. An answer carries it in `refusal`, a closed socket in the
reason of its close frame. Show it, log it, or choose a sentence by it; the `reason` beside it is
text for people and may change.

| source | a code of |
|---|---|
| `table` | a table's answer to a command, over HTTP or a socket |
| `house` | the house: its people, terminals and approvals |
| `http` | HTTP itself, in an error body, before a table or the house is asked |
| `socket` | the frame by which the server closes a socket |

A code with two sources means the same in both. *Listed as* is the code under which the OpenAPI
document lists an HTTP error; the body still carries the code itself. An approval that was proposed
has status 202 and `needs_second_person`.

Two differences are known and kept:

- `person_is_locked` and `account_is_locked` are one fact. Bodies carry `person_is_locked`; the
  OpenAPI document lists `account_is_locked`.
- `no_such_seat` and `no_such_terminal` have status 404 from the house, which looks up a resource,
  and 409 from a table, which answers a command.

| code | source | HTTP status | listed as | close code |
|---|---|---|---|---|
"""


def page() -> str:
    """The whole page, in Markdown."""
    assert set(get_args(AnyErrorCode)) == set(_SOURCES)
    return _HEAD + "".join(_rows())


def _rows() -> Iterator[str]:
    codes: dict[str, list[AnyErrorCode]] = {}
    for source in _SOURCES:
        for code in source:
            codes.setdefault(code.value, []).append(code)
    for word, found in sorted(codes.items()):
        sources = [_SOURCES[type(code)] for code in found]
        over_http = [code for code in found if not isinstance(code, CloseReason)]
        statuses = dict.fromkeys(str(status_of(code)) for code in over_http)
        problems = dict.fromkeys(f"`{problem_of(code)}`" for code in over_http)
        closes = [str(CODES.get(code, POLICY)) for code in found if isinstance(code, CloseReason)]
        cells = (f"`{word}`", *(", ".join(cell) for cell in (sources, statuses, problems, closes)))
        yield f"| {' | '.join(cells)} |\n"


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
