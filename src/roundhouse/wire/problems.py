"""Error codes of the wire and their HTTP statuses.

Five enums define the codes: a table's ``Refusal``, ``CageRefusal``, ``HouseRefusal``, ``ErrorCode`` for HTTP and
``CloseReason`` for sockets. A code that occurs in two enums has the same meaning in both.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, TypeAlias, assert_never

from msgspec import Struct

from roundhouse.cage.names import CageRefusal
from roundhouse.people.names import HouseRefusal
from roundhouse.table.refusals import Refusal as TableRefusal
from roundhouse.wire.messages import CloseReason


class ErrorCode(StrEnum):
    """HTTP error codes, in the order of the checks. The first error found is returned."""

    FOREIGN_HOST = "foreign_host"
    TOO_MANY_REQUESTS = "too_many_requests"
    NO_SUCH_PAGE = "no_such_page"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    FOREIGN_ORIGIN = "foreign_origin"
    NOT_LOGGED_IN = "not_logged_in"
    CSRF_TOKEN_MISSING = "csrf_token_missing"
    CONSOLE_IS_LOCKED = "console_is_locked"
    NOT_AUTHORISED = "not_authorised"
    WRONG_CONTENT_TYPE = "wrong_content_type"
    TOO_LARGE = "too_large"
    TOO_SLOW = "too_slow"
    NOT_UNDERSTOOD = "not_understood"
    # Errors of handlers; the codes above come from the checks before the handler.
    WRONG_NAME_OR_PASSWORD = "wrong_name_or_password"
    ACCOUNT_IS_LOCKED = "account_is_locked"
    NO_SUCH_THING = "no_such_thing"
    REFUSED = "refused"
    DOES_NOT_VERIFY = "does_not_verify"
    JOURNAL_UNAVAILABLE = "journal_unavailable"
    OUR_OWN_BUG = "our_own_bug"


STATUS: Final = {
    ErrorCode.FOREIGN_HOST: 400,
    ErrorCode.TOO_MANY_REQUESTS: 429,
    ErrorCode.NO_SUCH_PAGE: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.FOREIGN_ORIGIN: 403,
    ErrorCode.NOT_LOGGED_IN: 401,
    ErrorCode.CSRF_TOKEN_MISSING: 403,
    ErrorCode.CONSOLE_IS_LOCKED: 403,
    ErrorCode.NOT_AUTHORISED: 403,
    ErrorCode.WRONG_CONTENT_TYPE: 415,
    ErrorCode.TOO_LARGE: 413,
    ErrorCode.TOO_SLOW: 400,
    ErrorCode.NOT_UNDERSTOOD: 400,
    ErrorCode.WRONG_NAME_OR_PASSWORD: 401,
    ErrorCode.ACCOUNT_IS_LOCKED: 403,
    ErrorCode.NO_SUCH_THING: 404,
    ErrorCode.REFUSED: 409,
    ErrorCode.DOES_NOT_VERIFY: 409,
    ErrorCode.JOURNAL_UNAVAILABLE: 503,
    ErrorCode.OUR_OWN_BUG: 500,
}


HttpErrorCode: TypeAlias = ErrorCode | HouseRefusal | TableRefusal | CageRefusal
"""A code that an HTTP response can carry."""
AnyErrorCode: TypeAlias = TableRefusal | CageRefusal | HouseRefusal | ErrorCode | CloseReason
"""Any code on the wire: in an answer, in an error body or in a close frame."""

_HOUSE: Final[Mapping[HouseRefusal, ErrorCode]] = {
    HouseRefusal.NOT_LOGGED_IN: ErrorCode.NOT_LOGGED_IN,
    HouseRefusal.WRONG_NAME_OR_PASSWORD: ErrorCode.WRONG_NAME_OR_PASSWORD,
    HouseRefusal.TOO_MANY_FAILURES: ErrorCode.TOO_MANY_REQUESTS,
    HouseRefusal.TOO_MANY_REQUESTS: ErrorCode.TOO_MANY_REQUESTS,
    # Two names for one error: bodies carry `person_is_locked`, the OpenAPI document lists `account_is_locked`.
    HouseRefusal.PERSON_IS_LOCKED: ErrorCode.ACCOUNT_IS_LOCKED,
    HouseRefusal.CONSOLE_IS_LOCKED: ErrorCode.CONSOLE_IS_LOCKED,
    HouseRefusal.NO_POSITION: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.NOT_AUTHORISED: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.OTHER_TABLE: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.OTHER_SEAT: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.NO_BILL_ACCEPTOR: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.NO_GUESTS: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.TERMINAL_IS_REVOKED: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.SAME_PERSON: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.NOT_INDEPENDENT: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.PASSWORD_NOT_OWN: ErrorCode.NOT_AUTHORISED,
    HouseRefusal.ABOVE_ONESELF: ErrorCode.NOT_AUTHORISED,
    **dict.fromkeys((code for code in HouseRefusal if code.startswith("no_such_")), ErrorCode.NO_SUCH_THING),
}
# A table's "no such seat" answers a command (409); the house's "no such seat" is a missing resource (404).
_TABLE: Final[Mapping[TableRefusal, ErrorCode]] = {
    TableRefusal.NOT_UNDERSTOOD: ErrorCode.NOT_UNDERSTOOD,
    TableRefusal.NOT_AUTHORISED: ErrorCode.NOT_AUTHORISED,
    TableRefusal.JOURNAL_UNAVAILABLE: ErrorCode.JOURNAL_UNAVAILABLE,
}
_CAGE: Final[Mapping[CageRefusal, ErrorCode]] = {
    CageRefusal.NOT_UNDERSTOOD: ErrorCode.NOT_UNDERSTOOD,
    CageRefusal.NOT_AUTHORISED: ErrorCode.NOT_AUTHORISED,
    CageRefusal.JOURNAL_UNAVAILABLE: ErrorCode.JOURNAL_UNAVAILABLE,
}


def problem_of(code: HttpErrorCode) -> ErrorCode:
    """Map a code to the HTTP error code that the OpenAPI document lists. The default is ``refused``."""
    match code:
        case ErrorCode():
            return code
        case HouseRefusal():
            return _HOUSE.get(code, ErrorCode.REFUSED)
        case TableRefusal():
            return _TABLE.get(code, ErrorCode.REFUSED)
        case CageRefusal():
            return _CAGE.get(code, ErrorCode.REFUSED)
        case _:
            assert_never(code)


def status_of(code: HttpErrorCode) -> int:
    """Return the HTTP status of a response with this code."""
    return STATUS[problem_of(code)]


class ErrorBody(Struct, frozen=True, omit_defaults=True):
    """Body of an HTTP error response."""

    refusal: str
    """Machine-readable code, an ``HttpErrorCode``."""
    reason: str | None = None
    """Message for people. It may change between versions."""
