"""Mathematics of the games: exact odds, simulation and PAR sheets for any rulebook.

This package imports only ``rules`` and ``drawing``."""
