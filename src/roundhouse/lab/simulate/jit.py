"""Typed wrappers around Numba, with an optional on-disk cache of compiled code.

The cache is next to the modules, or in the user's cache folder if those are read-only. If neither is writable, every
process compiles the kernels again.
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
    """Compile a function that releases the GIL, so that threads run in parallel."""
    options = {"nogil": True, "error_model": "numpy", "boundscheck": False}
    try:
        kernel: F = numba.njit(cache=True, **options)(function)
        _stamp(kernel)
    except (RuntimeError, AttributeError):
        # Compile without a cache if no folder is writable or Numba's internals have changed.
        kernel = numba.njit(**options)(function)
    return kernel


def _stamp(kernel: Any) -> None:
    """Invalidate the cached code when any module of this folder changes.

    Numba checks only the module of the function. Without this, it would use an old kernel after a change to a function
    that the kernel calls in another module.
    """
    cache_file = kernel._cache._cache_file
    cache_file._source_stamp = (cache_file._source_stamp, _sources())


@cache
def _sources() -> bytes:
    whole = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        whole.update(path.read_bytes())
    return whole.digest()


@intrinsic  # type: ignore[untyped-decorator]
def high_product(context: Any, a: Any, b: Any) -> Any:
    """Return the upper 64 bits of the product of two unsigned 64-bit numbers, in one machine instruction."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide = ir.IntType(128)
        left, right = (builder.zext(argument, wide) for argument in arguments)
        return builder.trunc(builder.lshr(builder.mul(left, right), ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), emit
