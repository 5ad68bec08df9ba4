"""The house: its configuration, its people and their sessions, its terminals and their keys, its own chain.

It knows no HTTP. A change is in its chain, durably, before it is answered; readers never wait for one.
"""
