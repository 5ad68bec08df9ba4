"""One table as a state machine: commands in, events out, and the money that each event moves.

Pure: no clock, dice, disk, network or asyncio. The time and the number of a ticket arrive as data.
"""
