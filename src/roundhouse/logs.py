"""Structured logs: one JSON object for each line.

Headers, bodies, queries, cookies, tokens and messages of exceptions are never logged, because they may contain
secrets.
"""

import logging
import traceback
from datetime import UTC, datetime
from typing import Final, TextIO

import msgspec

LOGGER = "roundhouse"
_FIELDS = "fields"
POLL: Final = "poll"
"""Field of a log line: whether it is a successful request that a screen or a monitor repeats."""
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


LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


class _WithoutPolls(logging.Filter):
    """Drops successful requests that screens and monitors repeat every few seconds."""

    def filter(self, record: logging.LogRecord) -> bool:
        fields = getattr(record, _FIELDS, None)
        return not (isinstance(fields, dict) and fields.get(POLL) is True)


def log_to(stream: TextIO, level: int = logging.INFO, polls: bool = False) -> logging.Handler:
    """Send our logs and those of the server libraries to a stream. Repeated requests are logged only with ``polls``."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    if not polls:
        handler.addFilter(_WithoutPolls())
    for name in (LOGGER, "uvicorn", "uvicorn.error", "uvicorn.access", "websockets"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level if name == LOGGER else logging.WARNING)
    return handler
