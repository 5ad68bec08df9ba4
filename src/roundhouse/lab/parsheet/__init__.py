"""The PAR sheet: everything a test laboratory asks of a game's mathematics, in one document."""
