"""The formats of transparency logs: signed notes, checkpoints, Merkle proofs and cosignatures, as C2SP specifies them.

The specifications are at https://c2sp.org. This package uses no clock, disk or network.
"""
