"""A fixture that unpacks the golden journals once per test module."""

import tarfile
from pathlib import Path

import pytest

from tests.support.golden_journals import ARCHIVE


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked archive. Tests only read it and open copies of its journals."""
    folder = tmp_path_factory.mktemp("golden")
    with tarfile.open(ARCHIVE) as tar:
        # Early releases of Python 3.11 have no filters.
        tar.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))  # type: ignore[arg-type]
    return folder
