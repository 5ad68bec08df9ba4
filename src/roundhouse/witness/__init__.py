"""The witness: remembers the heads of logs, cosigns what continues them, and refuses a roll-back or a fork.

``roundhouse witness run`` serves it to houses. By default a house uses a witness in a folder of the same machine.
"""
