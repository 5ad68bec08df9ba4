"""The screens' files, as a browser keeps them: what is named by its content for ever, everything else asked anew.

What the build has compressed is sent so to whoever takes it. Nothing is compressed here, and nothing made up: a path
that is no file of the folder is no page.
"""

import mimetypes
import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, RedirectResponse
from starlette.responses import Response as HttpResponse
from starlette.staticfiles import NotModifiedResponse, PathLike, StaticFiles
from starlette.types import Scope

ASSETS: Final = "assets"
"""The folder in which a file's name has a hash of its content."""
FOR_EVER: Final = "public, max-age=31536000, immutable"
ENCODINGS: Final = {"br": ".br", "gzip": ".gz"}
"""In the order in which they are preferred, with how the build names them."""


class StaticScreens(StaticFiles):
    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)
        self._assets = os.path.realpath(folder / ASSETS) + os.sep

    async def get_response(self, path: str, scope: Scope) -> HttpResponse:
        if path.endswith(tuple(ENCODINGS.values())):
            raise HTTPException(404)
        response = await super().get_response(path, scope)
        if isinstance(response, RedirectResponse):
            # A path of our own: what a proxy calls this house, and whether it encrypts, need not be known. Made of the
            # folder that was found and not of what was asked: `//elsewhere/..%2fpit` finds one too, and is a host.
            query = scope["query_string"].decode("latin-1")
            response.headers["location"] = f"/{quote(path)}/" + (f"?{query}" if query else "")
        return response

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> HttpResponse:
        asked, file = Headers(scope=scope), os.fspath(full_path)
        encoding, sent, found = _compressed(file, stat_result, asked.get("accept-encoding", ""))
        media = mimetypes.guess_type(file)[0] or "application/octet-stream"
        response = FileResponse(sent, status_code, media_type=media, stat_result=found)
        response.headers["vary"] = "accept-encoding"
        response.headers["cache-control"] = FOR_EVER if file.startswith(self._assets) else "no-cache"
        if encoding is not None:
            response.headers["content-encoding"] = encoding
        if self.is_not_modified(response.headers, asked):
            return NotModifiedResponse(response.headers)
        return response


def _compressed(file: str, plain: os.stat_result, accepted: str) -> tuple[str | None, str, os.stat_result]:
    """Its encoding, what is sent, and that file's facts."""
    for encoding, ending in ENCODINGS.items():
        if _accepts(accepted, encoding):
            try:
                return encoding, file + ending, os.stat(file + ending)
            except FileNotFoundError:
                continue
    return None, file, plain


def _accepts(header: str, encoding: str) -> bool:
    """Whether an ``Accept-Encoding`` header names this encoding. A quality of zero refuses it.

    >>> [_accepts("gzip, br;q=0, deflate; q=0.5", one) for one in ("gzip", "br", "deflate", "zstd")]
    [True, False, True, False]
    """
    for one in header.lower().replace(" ", "").split(","):
        if one.partition(";")[0] == encoding:
            return not one.rstrip("0.").endswith("q=")
    return False
