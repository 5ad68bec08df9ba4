"""Structured logs: one JSON object for each line.

Headers, bodies, queries, cookies, tokens and messages of exceptions are never logged, because they may contain
secrets.
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
    """Log one event with its fields."""
    logging.getLogger(LOGGER).log(level, what, extra={_FIELDS: fields})


def log_bug(what: str, bug: BaseException, **fields: Value) -> None:
    """Log the type and the stack of an exception. The message is left out, because it may quote a request."""
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
            # A record of a library. Its arguments are left out, because they may contain secrets.
            line |= {"what": "library", "from": record.name, "says": str(record.msg)}
        return _encode(line).decode()


def log_to(stream: TextIO, level: int = logging.INFO) -> logging.Handler:
    """Send our logs and those of the server libraries to a stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    for name in (LOGGER, "uvicorn", "uvicorn.error", "uvicorn.access", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level if name == LOGGER else logging.WARNING)
    return handler
