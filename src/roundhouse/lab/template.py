"""A rulebook to start from: commented, sound, and the designer's to change."""

import re
from pathlib import Path

from roundhouse.rules.errors import UserError

_TEMPLATE = Path(__file__).parent / "new-game.toml"
_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class BadName(UserError):
    """An id or title that a rulebook cannot have."""


def new_game(id: str, title: str) -> str:
    if not _ID.fullmatch(id):
        raise BadName(f"'{id}' is not an id; write lower-case words joined by hyphens, such as my-game")
    if not title.strip() or not title.isprintable() or '"' in title or "\\" in title:
        raise BadName("a title is one line without quotation marks or backslashes")
    return _TEMPLATE.read_text(encoding="utf-8").format(id=id, title=title)
