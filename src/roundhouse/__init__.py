"""Roundhouse runs casino wheel games exactly as an approved rulebook specifies."""

__version__ = "0.1.0"

DISTRIBUTION = "roundhouse-games"
"""Name of the distribution package, as ``pip`` knows it. The import name is ``roundhouse``."""
