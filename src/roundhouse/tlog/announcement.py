"""The announcement of a house's new signing key: a note that the old key and the new key have signed."""

from typing import Final

from msgspec import Struct

from roundhouse.tlog.note import NotANote, Note, Signer, VerifierKey, check, read_key, sign

_FIRST_LINE: Final = "roundhouse/key-announcement/v1"


class KeyAnnouncement(Struct, frozen=True):
    key: VerifierKey
    """The new key, under the name of the house."""

    @property
    def text(self) -> str:
        return f"{_FIRST_LINE}\n{self.key}\n"


def announce(key: VerifierKey, old: Signer, new: Signer) -> Note:
    """Sign the announcement by both keys: the old one gives its authority, the new one proves its possession."""
    return sign(sign(Note(KeyAnnouncement(key).text), key.name, old), key.name, new)


def read_announcement(note: Note, *old: VerifierKey) -> KeyAnnouncement:
    """Read an announcement that an old key and the new key have signed. Raises ``NotANote`` or ``NotSigned``."""
    lines = note.text.removesuffix("\n").split("\n")
    if len(lines) != 2 or lines[0] != _FIRST_LINE:
        raise NotANote("the note does not announce a key")
    key = read_key(lines[1])
    check(note, key)
    check(note, *(one for one in old if one.name == key.name))
    return KeyAnnouncement(key)
