"""A simulated wheel that speaks the SlingShot 2 line: for everyone without a real one on the desk.

The outcome is drawn first, without bias, and the motion is fitted to it. Nothing here is told of a bet.
"""
