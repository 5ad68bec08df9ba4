"""The people of a house as a state machine: staff, sessions, terminals, proposals and alerts.

``admit`` checks an event, ``apply`` changes the state. Pure code: no clock, random numbers, disk or network.
Passwords, keys and tokens never occur here.
"""
