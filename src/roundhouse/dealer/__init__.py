"""The automatic dealer. Everything but `loop` is pure: it decides from what it is told of table and wheel."""
