"""How a running table treats the memory and the interpreter of its process."""

import gc
import sys

_SWITCH_SECONDS = 0.00002
"""The thread that commits needs the interpreter a dozen times a batch, for microseconds. Were it to wait for it
longer than that, the batch would be written after the next is decided, and not meanwhile."""


def settle_in() -> None:
    """What was loaded stays; what comes and goes is freed by its count. Looking for cycles would only cost time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)
