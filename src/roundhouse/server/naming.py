"""Names of the wire's types: their own, and where two have one name, with the part of the house before it."""


def short_name(module: str, name: str) -> str:
    """
    >>> short_name("roundhouse.table.refusals", "Refusal")
    'TableRefusal'
    """
    return module.split(".")[-2].title() + name
