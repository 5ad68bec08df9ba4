"""The PAR sheet: the figures of a game's mathematics that a test laboratory requires, in one document."""
