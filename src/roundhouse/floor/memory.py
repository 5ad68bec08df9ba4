"""How a running table treats the memory and the interpreter of its process."""

import gc
import sys

_SWITCH_SECONDS = 0.0005
"""The thread that commits needs the interpreter a few times a batch; the usual 5 ms each would be felt."""


def settle_in() -> None:
    """What was loaded stays; what comes and goes is freed by its count. Looking for cycles would only cost time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
    sys.setswitchinterval(_SWITCH_SECONDS)
