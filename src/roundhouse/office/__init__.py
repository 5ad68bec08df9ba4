"""Back office: reports, exports and backups of a house's journal.

Works while the house runs and never writes to an existing journal.
"""
