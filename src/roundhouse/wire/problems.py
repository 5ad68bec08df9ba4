"""Why a request over HTTP came to nothing before a table was asked: a word, the status it has, and a reason."""

from enum import StrEnum
from typing import Final

from msgspec import Struct


class Problem(StrEnum):
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
    Problem.FOREIGN_HOST: 400,
    Problem.TOO_MANY_REQUESTS: 429,
    Problem.NO_SUCH_PAGE: 404,
    Problem.METHOD_NOT_ALLOWED: 405,
    Problem.FOREIGN_ORIGIN: 403,
    Problem.NOT_LOGGED_IN: 401,
    Problem.CSRF_TOKEN_MISSING: 403,
    Problem.CONSOLE_IS_LOCKED: 403,
    Problem.NOT_AUTHORISED: 403,
    Problem.WRONG_CONTENT_TYPE: 415,
    Problem.TOO_LARGE: 413,
    Problem.TOO_SLOW: 400,
    Problem.NOT_UNDERSTOOD: 400,
    Problem.WRONG_NAME_OR_PASSWORD: 401,
    Problem.ACCOUNT_IS_LOCKED: 403,
    Problem.NO_SUCH_THING: 404,
    Problem.REFUSED: 409,
    Problem.DOES_NOT_VERIFY: 409,
    Problem.JOURNAL_UNAVAILABLE: 503,
    Problem.OUR_OWN_BUG: 500,
}


class Refusing(Struct, frozen=True, omit_defaults=True):
    """The body of every answer that is no success."""

    refusal: str
    """A ``Problem``, or a refusal of the house or of the table, as it is."""
    reason: str | None = None
