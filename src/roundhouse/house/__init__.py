"""The house: its configuration, its people and their sessions, its terminals and their keys, its own chain.

It knows no HTTP and no asyncio. Whatever it does is in its chain, durably, before anybody is told.
"""
