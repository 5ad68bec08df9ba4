"""Headers that every answer carries: what a browser must not do with it."""

_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_DATA = b"default-src 'none'; frame-ancestors 'none'"
_PAGES = (
    b"default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none';"
    b" form-action 'self'; frame-ancestors 'none'"
)


def safe_headers(present: list[tuple[bytes, bytes]], tls: bool, page: bool | None) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, with those that keep it safe. What a route said itself stays.

    ``page`` is nothing for an answer that only says that the one before still holds: whatever stands in it replaces
    what that one said, and a page that is shown by the policy of data shows nothing.
    """
    names = {name.lower() for name, _ in present}
    # What has a name for its content may be kept, and is asked for again by that name.
    keeps = b"no-cache" if b"etag" in names else b"no-store"
    added = [*_ALWAYS, (b"cache-control", keeps)]
    if page is not None:
        added.append((b"content-security-policy", _PAGES if page else _DATA))
    if tls:
        added.append((b"strict-transport-security", b"max-age=31536000"))
    return [*present, *((name, value) for name, value in added if name not in names)]
