"""Roundhouse: wheel games run the way an approved rulebook says."""

__version__ = "0.1.0"

DISTRIBUTION = "roundhouse-games"
"""The name under which this package is installed; the import name is ``roundhouse``."""
