"""The composition root of a running house: its journal, its tables, their wheels and dealers, its own watch.

Everything that a house is made of is put together here, once, from a checked configuration. No rule is decided here.
"""
