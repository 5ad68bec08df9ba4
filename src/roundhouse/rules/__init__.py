"""Rulebooks and everything computed from them: layouts, packages, verdicts on spins, settlement, odds.

Pure code: no clock, random numbers, disk, network or asyncio. Time and randomness are passed in as data.
"""
