"""Connects wheels: a real wheel on a serial port, or a simulated wheel that uses the same protocol.

This package imports the rules but no code that handles bets, so an outcome cannot depend on stakes. ``lint-imports``
checks that.
"""
