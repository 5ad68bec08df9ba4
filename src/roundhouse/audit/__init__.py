"""Proof: a journal or a capsule checked from its first entry, and a round told to a person.

Nothing here writes to a journal, and nothing that a journal merely keeps for quick answers is believed.
"""
