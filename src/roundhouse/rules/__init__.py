"""The rules: what a rulebook says, and everything that follows from it by thought alone.

Pure: no clock, dice, disk, network or asyncio. Time, randomness and identity arrive as data.
"""
