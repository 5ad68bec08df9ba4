"""A person's mistake, told in one line to the person who made it: what was wrong, where, what to do."""


class Mistake(Exception):
    """Raised where input is turned into rules' terms; beyond that point only sound things travel."""
