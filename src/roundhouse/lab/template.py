"""Creates a commented, valid rulebook for a designer to start from."""

import re
from pathlib import Path

from roundhouse.rules.errors import UserError

_TEMPLATE = Path(__file__).parent / "new-game.toml"
_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class BadName(UserError):
    """An invalid rulebook id or title."""


def new_game(id: str, title: str) -> str:
    if not _ID.fullmatch(id):
        raise BadName(f"'{id}' is not a valid id; use lower-case words joined by hyphens, such as my-game")
    if not title.strip() or not title.isprintable() or '"' in title or "\\" in title:
        raise BadName("the title must be one non-empty line without quotation marks or backslashes")
    return _TEMPLATE.read_text(encoding="utf-8").format(id=id, title=title)
