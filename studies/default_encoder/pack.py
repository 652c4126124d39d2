"""Rows to the file in the package: eight-bit codes with one scale per row."""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt

__all__ = ["quantised", "write"]

_LARGEST = 8_000_000


def quantised(rows: npt.NDArray[np.float32], levels: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Return codes from ``-levels`` to ``levels`` and the scale of each row; fewer levels compress better."""
    scales = np.abs(rows).max(axis=1) / levels
    scales[scales == 0] = 1
    return np.rint(rows / scales[:, None]).astype(np.int8), scales.astype(np.float32)


_COMPRESSOR = zlib.compressobj


def _huffman(*_: object) -> object:
    """Return a compressor that looks for no repeated codes: there are none, and to encode them costs a twentieth of the size."""
    return _COMPRESSOR(9, zlib.DEFLATED, -15, 9, zlib.Z_HUFFMAN_ONLY)


def write(
    path: Path, codes: npt.NDArray[np.int8], scales: npt.NDArray[np.float32], words: list[str], facts: dict[str, Any]
) -> int:
    """Write the table and, beside it, where it comes from; return the size."""
    content = io.BytesIO()
    listed = np.frombuffer("\n".join(words).encode("ascii"), dtype=np.uint8)
    with mock.patch("zlib.compressobj", _huffman):
        np.savez_compressed(content, codes=codes, scales=scales, words=listed)
    table = content.getvalue()
    if len(table) > _LARGEST:
        raise SystemExit(f"the table has {len(table)} bytes, more than {_LARGEST}; take fewer words or dimensions")
    facts = {"sha256": hashlib.sha256(table).hexdigest(), "bytes": len(table), **facts}
    for file, data in ((path, table), (path.with_suffix(".json"), (json.dumps(facts, indent=2) + "\n").encode())):
        new = file.with_name(file.name + ".new")
        new.write_bytes(data)
        new.replace(file)
    return len(table)
