"""Serves the files of the web application with cache headers, and precompressed if the client accepts that.

Files with a content hash in their name are cached without revalidation, all others are revalidated.
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
"""Folder of the files whose names contain a hash of their content."""
IMMUTABLE: Final = "public, max-age=31536000, immutable"
ENCODINGS: Final = {"br": ".br", "gzip": ".gz"}
"""Content encodings in order of preference, with the suffix of the files that the build has compressed."""


class StaticScreens(StaticFiles):
    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=True)
        self._assets = os.path.realpath(folder / ASSETS) + os.sep

    async def get_response(self, path: str, scope: Scope) -> HttpResponse:
        if path.endswith(tuple(ENCODINGS.values())):
            raise HTTPException(404)
        response = await super().get_response(path, scope)
        if isinstance(response, RedirectResponse):
            # A relative URL, because behind a proxy the host and scheme are unknown. It is built from the found folder,
            # not from the requested path: `//elsewhere/..%2fpit` also finds a folder but would redirect to a host.
            query = scope["query_string"].decode("latin-1")
            response.headers["location"] = f"/{quote(path)}/" + (f"?{query}" if query else "")
        return response

    def file_response(
        self, full_path: PathLike, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> HttpResponse:
        request_headers, file = Headers(scope=scope), os.fspath(full_path)
        encoding, variant, stat = _variant(file, stat_result, request_headers.get("accept-encoding", ""))
        media = mimetypes.guess_type(file)[0] or "application/octet-stream"
        response = FileResponse(variant, status_code, media_type=media, stat_result=stat)
        response.headers["vary"] = "accept-encoding"
        response.headers["cache-control"] = IMMUTABLE if file.startswith(self._assets) else "no-cache"
        if encoding is not None:
            response.headers["content-encoding"] = encoding
        if self.is_not_modified(response.headers, request_headers):
            return NotModifiedResponse(response.headers)
        return response


def _variant(file: str, plain: os.stat_result, accepted: str) -> tuple[str | None, str, os.stat_result]:
    """Choose the file to send, compressed if possible. Return its encoding or None, its path and its status."""
    for encoding, suffix in ENCODINGS.items():
        if _accepts(accepted, encoding):
            try:
                return encoding, file + suffix, os.stat(file + suffix)
            except FileNotFoundError:
                continue
    return None, file, plain


def _accepts(header: str, encoding: str) -> bool:
    """Return whether an ``Accept-Encoding`` header accepts this encoding. A quality of zero refuses it.

    >>> [_accepts("gzip, br;q=0, deflate; q=0.5", one) for one in ("gzip", "br", "deflate", "zstd")]
    [True, False, True, False]
    """
    for one in header.lower().replace(" ", "").split(","):
        if one.partition(";")[0] == encoding:
            return not one.rstrip("0.").endswith("q=")
    return False
