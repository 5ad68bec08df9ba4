"""Libraries in C that a process loads before the C library. A test compiles them."""

import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

_FOLDER = Path(__file__).parent
_COMPILER = shutil.which("cc") or shutil.which("gcc")
needs_compiler = pytest.mark.skipif(_COMPILER is None, reason="a C compiler is missing; on Debian: apt-get install gcc")


@cache
def library(name: str) -> Path:
    """Compile ``NAME.c`` and return the library."""
    assert _COMPILER is not None
    found = Path(mkdtemp(prefix="roundhouse-preload-")) / f"{name}.so"
    command = (_COMPILER, "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(found), str(_FOLDER / f"{name}.c"))
    subprocess.run(command, check=True, capture_output=True)
    return found
