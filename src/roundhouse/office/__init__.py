"""The back office: what is read off a house's journal, and copied from it, while the house goes on playing.

Nothing here writes to a journal that exists, and nothing here needs the house to stop.
"""
