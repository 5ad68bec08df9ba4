"""The running house: one writer per table, its clock, its recovery."""
