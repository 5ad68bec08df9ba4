"""The bets of a roulette layout by arithmetic, to check the bets that are derived from geometry.

Rows are 1-2-3, 4-5-6 … 34-35-36. A bet is its canonical id and the pockets it covers.
"""

Bets = dict[str, frozenset[str]]

RED = frozenset(["1", "3", "5", "7", "9", "12", "14", "16", "18", "19", "21", "23", "25", "27", "30", "32", "34", "36"])
NUMBERS = frozenset(map(str, range(1, 37)))
BLACK = NUMBERS - RED


def bets(kind: str, *written: str) -> Bets:
    """Build bets from their numbers: ``bets("split", "0-00")``."""
    return {f"{kind}:{numbers}": frozenset(numbers.split("-")) for numbers in written}


def _run(kind: str, numbers: tuple[int, ...]) -> Bets:
    return bets(kind, "-".join(map(str, numbers)))


def straights(zeros: str) -> Bets:
    return bets("straight", *zeros.split(), *map(str, range(1, 37)))


def splits() -> Bets:
    found: Bets = {}
    for n in range(1, 37):
        if n % 3:
            found |= _run("split", (n, n + 1))
        if n <= 33:
            found |= _run("split", (n, n + 3))
    return found


def streets() -> Bets:
    found: Bets = {}
    for n in range(1, 37, 3):
        found |= _run("street", (n, n + 1, n + 2))
    return found


def corners() -> Bets:
    found: Bets = {}
    for n in range(1, 33):
        if n % 3:
            found |= _run("corner", (n, n + 1, n + 3, n + 4))
    return found


def lines() -> Bets:
    found: Bets = {}
    for n in range(1, 34, 3):
        found |= _run("line", tuple(range(n, n + 6)))
    return found


def columns() -> Bets:
    return {f"column:{k}": frozenset(n for n in NUMBERS if int(n) % 3 == k % 3) for k in (1, 2, 3)}


def dozens() -> Bets:
    return {f"dozen:{k}": frozenset(str(n) for n in range(12 * k - 11, 12 * k + 1)) for k in (1, 2, 3)}


LOW: Bets = {"low": frozenset(n for n in NUMBERS if int(n) <= 18)}
HIGH: Bets = {"high": frozenset(n for n in NUMBERS if int(n) >= 19)}
ODD: Bets = {"odd": frozenset(n for n in NUMBERS if int(n) % 2 == 1)}
EVEN: Bets = {"even": frozenset(n for n in NUMBERS if int(n) % 2 == 0)}
RED_BOX: Bets = {"red": RED}
BLACK_BOX: Bets = {"black": BLACK}
