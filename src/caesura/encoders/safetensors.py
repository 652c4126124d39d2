# SPDX-License-Identifier: Apache-2.0
"""``safetensors:FILE``: one tensor per document id; ``safetensors:FILE#KEY``: one tensor of all units.

The format is simple (eight bytes with the length of a JSON header, the header, the numbers), so it is read here without
an optional dependency.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt

from caesura.declare import Card
from caesura.encoders._precomputed import Member, NamedArrays, array_faults
from caesura.encoders.base import ENCODERS
from caesura.errors import EncoderError
from caesura.strict_json import decode

__all__ = ["Safetensors", "SafetensorsFile", "safetensors_bytes"]

_LONGEST_HEADER = 100_000_000  # the limit of the format's own reader
_METADATA = "__metadata__"
_TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2"}


class _Entry(msgspec.Struct):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


class SafetensorsFile:
    """A safetensors file whose header is checked; its tensors are read one by one."""

    def __init__(self, path: Path) -> None:
        with array_faults(path), path.open("rb") as stream:
            size = path.stat().st_size
            length = int.from_bytes(stream.read(8), "little")
            if size < 8 or length > min(size - 8, _LONGEST_HEADER):
                raise EncoderError(f"{path} is not a complete safetensors file; write it again")
            header = stream.read(length)
        self._path, self._start, self._bytes = path, 8 + length, size - 8 - length
        try:
            raw = decode(header, dict[str, msgspec.Raw])
            raw.pop(_METADATA, None)
            self._entries = {name: msgspec.json.decode(entry, type=_Entry) for name, entry in raw.items()}
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise EncoderError(f"{path}: the header is not a safetensors header ({error}); write it again") from None

    def names(self) -> Sequence[str]:
        """Return the names of the tensors."""
        return list(self._entries)

    def member(self, name: str) -> Member:
        """Return the shape of a tensor, and how to read it."""
        entry, who = self._entries[name], f"{self._path}, tensor {name!r}"
        if entry.dtype not in _TYPES:
            raise EncoderError(f"{who} holds {entry.dtype}; vectors must be one of {', '.join(_TYPES)}")
        dtype = np.dtype(_TYPES[entry.dtype])
        start, stop = entry.data_offsets
        whole = all(n >= 0 for n in entry.shape) and 0 <= start <= stop <= self._bytes
        if not whole or stop - start != math.prod(entry.shape) * dtype.itemsize:
            raise EncoderError(f"{who}: bytes {start} to {stop} do not fit shape {list(entry.shape)}; write it again")

        def read() -> npt.NDArray[Any]:
            with array_faults(self._path), self._path.open("rb") as stream:
                stream.seek(self._start + start)
                data = np.frombuffer(stream.read(stop - start), dtype).reshape(entry.shape)
            # A bfloat16 is the upper half of a float32.
            return (data.astype(np.uint32) << 16).view(np.float32) if entry.dtype == "BF16" else data

        return Member(entry.shape, read)


@ENCODERS.register()
@dataclasses.dataclass(frozen=True)
class Safetensors(NamedArrays):
    """A safetensors file with one tensor per document id."""

    card: ClassVar[Card] = Card(title="vectors of a safetensors file, one tensor per document id")
    takes: ClassVar[str] = "FILE or safetensors:FILE#KEY"
    open = staticmethod(SafetensorsFile)


def safetensors_bytes(tensors: Mapping[str, npt.NDArray[np.floating]]) -> bytes:
    """Return arrays as the content of a safetensors file, in the order of their names.

    >>> safetensors_bytes({"a": np.zeros(1, np.float32)})[8:-4].decode().strip()
    '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    """
    header: dict[str, object] = {}
    parts: list[bytes] = []
    kinds = {np.dtype(code): name for name, code in _TYPES.items() if name != "BF16"}
    start = 0
    for name in sorted(tensors):
        array = np.ascontiguousarray(tensors[name])
        data = array.astype(array.dtype.newbyteorder("<")).tobytes()
        offsets = [start, start + len(data)]
        header[name] = {"dtype": kinds[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
        parts.append(data)
        start += len(data)
    text = msgspec.json.encode(header)
    text += b" " * (-len(text) % 8)  # the format pads the header, so that numbers are aligned
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])
