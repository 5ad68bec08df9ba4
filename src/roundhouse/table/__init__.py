"""One table as a state machine: it decides commands, produces events and accounts for the money.

Pure code: no clock, random numbers, disk, network or asyncio. Times and ticket numbers are passed in as data.
"""
