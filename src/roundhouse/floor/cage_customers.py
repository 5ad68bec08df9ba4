"""Customers at the cage: replaces their names and documents by keyed digests before anything is recorded."""

import hmac
import unicodedata
from typing import Final

from roundhouse.cage.commands import Customer
from roundhouse.cage.names import PersonKey
from roundhouse.journal.seal import Key, subkey

_BYTES: Final = 16
_MAX_INITIALS: Final = 3


class Customers:
    """Digests of customers under the key of a journal."""

    def __init__(self, key: Key) -> None:
        self._key = subkey(key, "customer")

    def customer(self, name: str, document: str) -> Customer:
        """Return a customer by name, by the number of a document, or by both. Empty texts are left out."""
        keys = [self._digest("name", plain_name(name)), self._digest("document", plain_document(document))]
        return Customer(tuple(key for key in keys if key), initials_of(name))

    def _digest(self, kind: str, text: str) -> PersonKey:
        if not text:
            return PersonKey("")
        return PersonKey(hmac.digest(self._key, f"{kind}\0{text}".encode(), "sha256")[:_BYTES].hex())


def plain_name(name: str) -> str:
    """Return a name in a form that does not depend on case, accents, spaces and the order of its words.

    >>> plain_name("José  Lee"), plain_name("lee JOSE")
    ('jose lee', 'jose lee')
    """
    bare = "".join(one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one))
    return " ".join(sorted(bare.casefold().split()))


def plain_document(document: str) -> str:
    """Return the letters and digits of a document's number.

    >>> plain_document(" s-123 4567 d")
    'S1234567D'
    """
    return "".join(one for one in unicodedata.normalize("NFKC", document).upper() if one.isalnum())


def initials_of(name: str) -> str:
    """Return the initials by which people recognise an entry of a list.

    >>> initials_of("Ann Mary van Lee"), initials_of("")
    ('AMV', '')
    """
    return "".join(word[0].upper() for word in name.split() if word[0].isalnum())[:_MAX_INITIALS]
