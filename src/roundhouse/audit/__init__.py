"""Audit: verify a journal or a capsule from its first entry, and explain a round.

Never writes to a journal. Derived data in a journal (index, snapshots, registers) is checked, not trusted.
"""
