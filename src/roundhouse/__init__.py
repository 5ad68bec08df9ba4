"""Roundhouse: wheel games run the way an approved rulebook says."""

__version__ = "0.1.0"
