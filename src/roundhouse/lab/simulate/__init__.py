"""Simulation. The same seed gives the same result on one core, on several cores and on a cluster."""
