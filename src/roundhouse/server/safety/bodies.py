"""Bodies: read up to a size and within a time, and no further. What is too large is never held."""

import asyncio
from collections.abc import AsyncIterator, Mapping


class TooLarge(Exception):
    pass


class TooSlow(Exception):
    pass


async def read_body(headers: Mapping[str, str], chunks: AsyncIterator[bytes], most: int, seconds: float) -> bytes:
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most:
        raise TooLarge
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in chunks:
                body += chunk
                if len(body) > most:
                    raise TooLarge
    except TimeoutError:
        raise TooSlow from None
    return bytes(body)


def is_json(headers: Mapping[str, str]) -> bool:
    """``application/json``, in UTF-8. A page of another origin cannot send that without asking first."""
    kind, _, parameters = headers.get("content-type", "").partition(";")
    if kind.strip().lower() != "application/json":
        return False
    charset = parameters.strip().lower()
    return charset in ("", "charset=utf-8", 'charset="utf-8"')
