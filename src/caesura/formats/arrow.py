# SPDX-License-Identifier: Apache-2.0
"""Arrow files: the columns of the format parquet, in Arrow's own file format."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Iterator
from typing import ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card
from caesura.formats._arrow import pyarrow, table_of
from caesura.formats._base import FORMATS
from caesura.formats.parquet import Parquet

__all__ = ["Arrow"]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Arrow(Parquet):
    """An Arrow (IPC, Feather) file: one document per row, with the columns and options of the format parquet."""

    card: ClassVar[Card] = Card(title="Arrow files, one document per row")
    suffixes: ClassVar[tuple[str, ...]] = (".arrow", ".feather")
    begins: ClassVar[bytes] = b"ARROW1\0"

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Yield the file."""
        sink, table = io.BytesIO(), table_of(corpus)
        with pyarrow("pyarrow.ipc").new_file(sink, table.schema) as writer:
            writer.write_table(table)
        yield sink.getvalue()
