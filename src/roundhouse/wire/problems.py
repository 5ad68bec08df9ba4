"""Why a request over HTTP came to nothing before a table was asked: a word, the status it has, and a reason."""

from enum import StrEnum
from typing import Final

from msgspec import Struct


class ErrorCode(StrEnum):
    """The first that applies is the answer; they are checked in this order."""

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
    # what was asked for
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


class ErrorBody(Struct, frozen=True, omit_defaults=True):
    """The body of every answer that is no success."""

    refusal: str
    """A ``Problem``, or a refusal of the house or of the table, as it is."""
    reason: str | None = None
