"""One vocabulary for programs: a figure has the same name and form in every answer of the lab.

Fractions are strings; a root is given by its square, which is a fraction, beside a decimal. Nothing is rounded that
does not stand beside its exact value.
"""

from roundhouse.lab.figures import Root, decimal
from roundhouse.lab.moments import Moments

Json = dict[str, object]


def root_json(root: Root | None) -> Json | None:
    if root is None:
        return None
    return {"exact": str(root), "square": str(root.square), "decimal": decimal(root, 12).removeprefix("≈ ")}


def moments_json(unit: Moments) -> Json:
    """Of the net result of one unit staked."""
    return {
        "edge": str(-unit.mean),
        "return": str(1 + unit.mean),
        "variance": str(unit.variance),
        "deviation": root_json(unit.deviation),
        "third_central_moment": str(unit.third),
        "fourth_central_moment": str(unit.fourth),
        "skewness": root_json(unit.skewness),
        "kurtosis": None if unit.kurtosis is None else str(unit.kurtosis),
    }
