"""What a bad cable does to the line: cut, doubled, spliced, garbage, lost ends of line. Bytes in, bytes out.

Used to try the driver, which must neither stumble nor invent an outcome whatever comes of it.
"""

from roundhouse.wheelhead.simulator.chance import Chance

END = b"\r\n"


class Cable:
    """Each line comes to harm at this rate, in one of the ways in which lines have been seen to."""

    def __init__(self, rate: float, chance: Chance) -> None:
        self._rate, self._chance = rate, chance
        self._head = b""

    def carry(self, line: bytes) -> bytes:
        if self._head:
            # The head of an earlier line runs into the tail of this one.
            head, self._head = self._head, b""
            return head + line[self._chance.below(len(line) + 1) :] + END
        if not self._chance.happens(self._rate):
            return line + END
        arrives, self._head = _harm(line, self._chance)
        return arrives


def _harm(line: bytes, chance: Chance) -> tuple[bytes, bytes]:
    """What arrives of the line now, and what of it runs into the next."""
    at = chance.below(len(line) + 1)
    match chance.below(9):
        case 0:  # its tail is lost
            return line[:at] + END, b""
        case 1:  # its head is lost
            return line[at:] + END, b""
        case 2:  # it comes twice
            return (line + END) * 2, b""
        case 3:  # its head runs into a later line
            return b"", line[:at] or line[:1]
        case 4:  # garbage stands in it
            return line[:at] + bytes(chance.below(256) for _ in range(chance.whole(1, 6))) + line[at:] + END, b""
        case 5:  # it is lost
            return b"", b""
        case 6:  # its CR is lost
            return line + b"\n", b""
        case 7:  # its end is lost
            return line, b""
        case _:  # one byte of it is lost
            return line[:at] + line[at + 1 :] + END, b""
