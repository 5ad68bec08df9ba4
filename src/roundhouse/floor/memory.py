"""How a running table treats the memory and the interpreter of its process."""

import gc
import sys

_SWITCH_SECONDS = 0.001
"""About as long as a batch takes to be written. Asked for sooner, the interpreter changes hands more often than it
helps; later, what is durable is noticed too late."""


def settle_in() -> None:
    """What was loaded stays; what comes and goes is freed by its count. Looking for cycles would only cost time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)
