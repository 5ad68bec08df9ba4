"""The house: staff, sessions, terminals, approvals and alerts, recorded in a hash chain separate from the tables'.

A change is durable before it is answered. Readers use the committed state and never wait.
"""
