"""The golden journals, unpacked once for each module of tests."""

import tarfile
from pathlib import Path

import pytest

from tests.support.golden_journals import ARCHIVE


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive, unpacked. Tests read it; whoever opens a journal works on a copy."""
    folder = tmp_path_factory.mktemp("golden")
    with tarfile.open(ARCHIVE) as tar:
        tar.extractall(folder, filter="data")
    return folder
