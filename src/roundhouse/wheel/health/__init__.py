"""Wheel health: what recorded spins say about a wheel, and what they could have said.

A finding is honest about how many questions were asked and how large a fault would have been seen.
"""
