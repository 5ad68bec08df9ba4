"""The files of the web screens: paths, compression, caching and security headers."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from roundhouse.server.static import IMMUTABLE
from tests.support.http_house import FREE, HttpHouse, http_house

PAGE = "<!doctype html><title>the application</title>"
SCRIPT = "console.log('a')"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[HttpHouse]:
    pages = tmp_path / "dist"
    files = {
        "index.html": PAGE,
        "terminal/index.html": "<!doctype html><title>the terminal</title>",
        "assets/index-3f.js": SCRIPT,
        "assets/index-3f.js.br": "pretends to be brotli",
        "icon.svg": "<svg/>",
    }
    for name, text in files.items():
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(text, encoding="utf-8")
    for name in ("index.html", "assets/index-3f.js"):
        (pages / f"{name}.gz").write_bytes(gzip.compress(files[name].encode()))
    with http_house(tmp_path, msgspec.structs.replace(FREE, pages=pages)) as house:
        yield house


def get(house: HttpHouse, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and the undecoded body, so that compression is visible."""

    async def ask() -> tuple[int, dict[str, str], bytes]:
        named = {"accept-encoding": "identity"} | {name.replace("_", "-"): value for name, value in headers.items()}
        async with house.client.stream("GET", path, headers=named) as answer:
            body = b"".join([chunk async for chunk in answer.aiter_raw()])
            return answer.status_code, dict(answer.headers), body

    return house.runner.run(ask())


def test_only_the_files_of_the_screens_are_served_at_the_root(house: HttpHouse) -> None:
    assert get(house, "/")[2] == PAGE.encode()
    assert house.call(None, "GET", "/api/me").json()["kind"] == "nobody"
    assert house.call(None, "GET", "/../house.db").status_code == 404
    assert house.call(None, "GET", "/nothing").json()["refusal"] == "no_such_page"
    assert house.call(None, "POST", "/terminal/").status_code == 405


def test_a_screen_without_a_trailing_slash_is_redirected(house: HttpHouse) -> None:
    assert b"the terminal" in get(house, "/terminal/?table=a")[2]
    status, headers, _ = get(house, "/terminal?table=a&b=%2F", x_forwarded_proto="https", host="localhost")
    assert (status, headers["location"]) == (307, "/terminal/?table=a&b=%2F")


@pytest.mark.parametrize(
    "path", ["//terminal", "//elsewhere.example/..%2fterminal", "/%5c%5celsewhere.example/..%2fterminal"]
)
def test_a_redirect_never_leads_to_another_host(house: HttpHouse, path: str) -> None:
    address = str(house.client.base_url).rstrip("/") + path
    status, headers, _ = get(house, address)
    assert (status, headers["location"]) == (307, "/terminal/")


def test_hashed_assets_are_immutable_and_pages_are_revalidated(house: HttpHouse) -> None:
    status, headers, _ = get(house, "/assets/index-3f.js")
    assert (status, headers["cache-control"]) == (200, IMMUTABLE)
    assert headers["content-type"].startswith("text/javascript")
    for path in ("/", "/terminal/", "/icon.svg"):
        status, headers, _ = get(house, path)
        assert (status, headers["cache-control"]) == (200, "no-cache")
        again, not_modified, body = get(house, path, if_none_match=headers["etag"])
        assert (again, not_modified["cache-control"], body) == (304, "no-cache", b"")
        assert "content-security-policy" not in not_modified, "it would replace the policy of the cached page"
    assert get(house, "/", if_none_match='"another"')[0] == 200


@pytest.mark.parametrize(
    ("accepted", "path", "encoding"),
    [
        ("gzip, deflate, br", "/assets/index-3f.js", "br"),
        ("gzip", "/assets/index-3f.js", "gzip"),
        ("br;q=0, gzip;q=0.5", "/assets/index-3f.js", "gzip"),
        ("br", "/", None),
        ("gzip, br", "/", "gzip"),
        ("identity", "/assets/index-3f.js", None),
        ("gzip, br", "/icon.svg", None),
    ],
)
def test_a_compressed_file_is_sent_to_clients_that_accept_its_encoding(
    house: HttpHouse, accepted: str, path: str, encoding: str | None
) -> None:
    status, headers, body = get(house, path, accept_encoding=accepted)
    assert (status, headers.get("content-encoding"), headers["vary"]) == (200, encoding, "accept-encoding")
    plain_status, plain, text = get(house, path)
    assert (plain_status, plain["content-type"]) == (200, headers["content-type"])
    assert (plain["etag"] == headers["etag"]) == (encoding is None), "each encoding needs its own ETag"
    if encoding == "gzip":
        assert gzip.decompress(body) == text
    elif encoding is None:
        assert body == text


def test_compressed_files_are_not_served_under_their_own_names(house: HttpHouse) -> None:
    assert [get(house, f"/assets/index-3f.js{ending}")[0] for ending in (".br", ".gz")] == [404, 404]


def test_a_page_has_a_content_security_policy(house: HttpHouse) -> None:
    policy = get(house, "/terminal/")[1]["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-eval" not in policy
    assert "script" not in policy, "only the default source 'self' may serve scripts"
