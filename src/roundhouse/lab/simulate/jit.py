"""The compiler at the edge: typed decorators around Numba, and a cache that may be absent.

Compiled code is kept beside the modules, or in the user's cache where those are read-only; where neither can be
written it is compiled anew in each process, and nothing else changes.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
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
        _stamp(kernel)
    except (RuntimeError, AttributeError):  # no folder to keep it in, or another Numba than we know
        kernel = numba.njit(**options)(function)
    return kernel


def _stamp(kernel: Any) -> None:
    """Make the kept code depend on every module of this folder.

    By itself Numba looks at the module of the function alone, and would go on using a kernel whose parts were changed
    in another module.
    """
    kept = kernel._cache._cache_file
    kept._source_stamp = (kept._source_stamp, _sources())


@cache
def _sources() -> bytes:
    whole = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        whole.update(path.read_bytes())
    return whole.digest()


@intrinsic  # type: ignore[untyped-decorator]
def high_product(context: Any, a: Any, b: Any) -> Any:
    """The upper 64 bits of the product of two unsigned 64-bit numbers: one machine instruction."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        left, right = (builder.zext(argument, wide) for argument in arguments)
        return builder.trunc(builder.lshr(builder.mul(left, right), ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), emit
