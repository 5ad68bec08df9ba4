"""The lab: exact mathematics, simulation and PAR sheets for any rulebook. Imports only rules and drawing."""
