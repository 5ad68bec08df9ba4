"""Recognises common passwords, which attackers try first, by the words and keyboard rows that they are made of."""

import re
from typing import Final

_TEXT: Final = """
abc account admin administrator adobe amanda andrew angel apple april asdf ashley august austin babygirl badass bailey
banana baseball basketball batman blackjack butterfly cashier casino changeme charlie cheese chelsea chocolate
computer cookie croupier daniel dealer december default demo dragon eagles family february flower football forever
freedom friday friends gambling george ginger google guest hannah heaven hello house hunter iceman iloveyou internet
jackpot january jasmine jennifer jessica jesus jordan joshua july june justin killer letmein lottery love lovely
loveme lucky manager march master matthew mercedes merlin michael michelle midnight monday money monkey mustang mynoob
nicole ninja november october orange pass passw passwd password passwort patrick pepper phoenix player please poker
princess purple qazwsx qwer qwert qwerty qwertyuiop rainbow ranger robert roulette roundhouse samantha saturday secret
september shadow silver singapore slots soccer spring starwars summer sunday sunshine superman superstar test tester
testing thomas thunder thursday tigger trustno tuesday user wednesday welcome welcometo whatever wheel william winner
winter wizard yellow your zaq
"""
_WORDS: Final = frozenset(_TEXT.split())
_ROWS: Final = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "abcdefghijklmnopqrstuvwxyz", "qazwsxedcrfvtgb")
_MIN_RUN: Final = 4
_LEET: Final = str.maketrans("0134578@$!", "oieastbasi")
_ENDS: Final = re.compile(r"^[\W\d_]+|[\W\d_]+$")
_FILLER: Final = re.compile(r"[\W\d_]+")


def is_common(password: str) -> bool:
    """Return whether a password consists of one common word, or of rows of a keyboard, with digits around it.

    >>> [is_common(found) for found in ("P@ssw0rd1234", "qwertyuiop!", "Welcome-2026", "1q2w3e4r5t6y", "iloveyou99999")]
    [True, True, True, True, True]
    >>> [is_common(found) for found in ("correct horse battery", "blue-table-4-lamps", "winter is a cold season")]
    [False, False, False]
    """
    lower = password.lower()
    plain = _without_runs(lower)
    for text in (plain, _ENDS.sub("", plain).translate(_LEET)):
        parts = [part for part in _FILLER.split(text) if part]
        if len("".join(parts)) < _MIN_RUN or (len(parts) <= 2 and all(_is_word(part) for part in parts)):
            return True
    # Two rows that alternate, such as 1q2w3e4r.
    return all(len(_without_runs(half)) < _MIN_RUN for half in (lower[::2], lower[1::2]))


def _is_word(part: str) -> bool:
    """Return whether a part is one or two common words, or one word repeated."""
    return any(part[:end] in _WORDS and (not part[end:] or part[end:] in _WORDS) for end in range(1, len(part) + 1))


def _without_runs(text: str) -> str:
    """Remove runs of a keyboard row or of the alphabet, in either direction."""
    for row in _ROWS:
        for line in (row * 2, row[::-1] * 2):
            for size in range(len(row), _MIN_RUN - 1, -1):
                for start in range(len(row)):
                    text = text.replace(line[start : start + size], " ")
    return text
