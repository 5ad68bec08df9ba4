"""Simulation: the same seed gives the same result on one core, on all of them and on a cluster."""
