"""The people of a house as a state machine: who works here, in which position, and what they did. Pure.

Facts are admitted by its rules and applied to its state. No clock, dice, disk or network; no secret ever.
"""
