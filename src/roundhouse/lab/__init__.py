"""The lab: exact mathematics, simulation and PAR sheets for any rulebook. It stands on the rules alone."""
