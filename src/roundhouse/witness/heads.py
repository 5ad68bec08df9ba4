"""The newest heads of a journal's chains, written without a sync between two checkpoints.

The file outlives a killed process, so a head that was committed just before is known at the next opening. A power cut
may lose its last lines. Once a checkpoint of the heads is cosigned, the file is emptied.
"""

import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class NotedHead(NamedTuple):
    epoch: int
    seq: int
    hash: bytes


class HeadsFile:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def read(self) -> dict[str, NotedHead]:
        """Return the last head of each chain. An incomplete or damaged line is skipped."""
        try:
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return {}
        heads: dict[str, NotedHead] = {}
        for line in lines:
            text, _, sum = line.rpartition(b" ")
            with suppress(ValueError):
                if zlib.crc32(text) == int(sum, 16):
                    chain, epoch, seq, hash = text.decode().split(" ")
                    heads[chain] = NotedHead(int(epoch), int(seq), bytes.fromhex(hash))
        return heads

    def note(self, heads: Mapping[str, NotedHead]) -> None:
        """Append heads, without waiting for the disk."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        texts = [f"{chain} {head.epoch} {head.seq} {head.hash.hex()}" for chain, head in heads.items()]
        # The line begins with a newline, because the last one may be incomplete after a power cut.
        os.write(self._file, "".join(f"\n{text} {zlib.crc32(text.encode()):08x}" for text in texts).encode())

    def clear(self) -> None:
        if self._file is not None:
            os.ftruncate(self._file, 0)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
