"""How a running table treats the memory of its process."""

import gc


def settle_in() -> None:
    """What was loaded stays; what comes and goes is freed by its count. Looking for cycles would only cost time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)
