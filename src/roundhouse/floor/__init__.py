"""The running house: one journal, one writer per table, the automatic dealers, alerts and change feeds."""
