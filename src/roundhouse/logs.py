"""Logs: one JSON object a line, of what we ourselves say and never of what we were sent.

No header, body, query, cookie, token or exception's message is ever logged: any of them may hold a secret.
"""

import logging
import traceback
from datetime import UTC, datetime
from typing import TextIO

import msgspec

LOGGER = "roundhouse"
_FIELDS = "fields"
_encode = msgspec.json.Encoder().encode

Value = str | int | float | bool | None


def log(what: str, level: int = logging.INFO, **fields: Value) -> None:
    """One line: what happened, in a word, and its facts."""
    logging.getLogger(LOGGER).log(level, what, extra={_FIELDS: fields})


def log_bug(what: str, bug: BaseException, **fields: Value) -> None:
    """Our own bug: its kind and where it happened. Its message stays out, because it may quote what was sent."""
    places = [f"{frame.name}:{frame.lineno}" for frame in traceback.extract_tb(bug.__traceback__)[-8:]]
    log(what, logging.ERROR, kind=type(bug).__name__, places=" < ".join(reversed(places)), **fields)


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {"at": at, "level": record.levelname.lower()}
        fields = getattr(record, _FIELDS, None)
        if isinstance(fields, dict):
            line |= {"what": record.msg, **fields}
        else:
            # A library's own line. Its arguments may be anything, so the words are taken without them.
            line |= {"what": "library", "from": record.name, "says": str(record.msg)}
        return _encode(line).decode()


def log_to(stream: TextIO, level: int = logging.INFO) -> logging.Handler:
    """All lines go to this stream, also those of the libraries that serve."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name in (LOGGER, "uvicorn", "uvicorn.error", "uvicorn.access", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level if name == LOGGER else logging.WARNING)
    return handler
