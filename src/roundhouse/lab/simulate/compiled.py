"""The compiler at the edge: typed decorators around Numba, and a cache that may be absent.

Compiled code is kept beside the modules, or in the user's cache where those are read-only; where neither can be
written it is compiled anew in each process, and nothing else changes.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compiled without the interpreter's lock, so that threads run side by side."""
    options = {"nogil": True, "error_model": "numpy", "boundscheck": False}
    try:
        kernel: F = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # Numba found no folder to keep it in
        kernel = numba.njit(**options)(function)
    return kernel


@intrinsic  # type: ignore[untyped-decorator]
def high_product(context: Any, a: Any, b: Any) -> Any:
    """The upper 64 bits of the product of two unsigned 64-bit numbers: one machine instruction."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        left, right = (builder.zext(argument, wide) for argument in arguments)
        return builder.trunc(builder.lshr(builder.mul(left, right), ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), emit
