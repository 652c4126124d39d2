# SPDX-License-Identifier: Apache-2.0
"""Parquet: columns id, n_units, boundaries and, with texts, units; one document per row."""

from __future__ import annotations

import contextlib
import dataclasses
import io
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import COMPRESSIONS
from caesura.formats._arrow import COLUMNS, DETAILS, announced, corpus_of, is_own, pyarrow, table_of
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import head, notice, read_bytes
from caesura.formats._flags import marks_param
from caesura.formats._records import read_records
from caesura.limits import ALLOWANCE, CONTENT, RATIO

__all__ = ["Parquet", "n_rows"]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Parquet(Format):
    """Parquet: one document per row, read directly into arrays.

    Columns: ``id`` (strings or whole numbers), ``n_units`` (whole numbers), ``boundaries`` (lists of whole numbers, of any
    width; a null list is a document without a segmentation) and optionally the name of the ``unit``
    (strings, the same in all rows). Texts: ``units`` and ``speakers`` (lists of strings), ``unit_times`` (lists of start and
    end in seconds, as structs or lists of two) and ``scores`` of the gaps (lists of numbers); a null list means that a
    document has none. With ``units`` the columns ``n_units`` and ``boundaries`` may be left out. Strings may be
    dictionaries, lists may be large lists. Other columns are not read. A file without these columns is read as a table with one
    row per unit or per document (`caesura.formats.records`), and ``columns`` names what they are. ``start`` and ``stop`` select rows, so that a large
    file can be read in parts.
    """

    card: ClassVar[Card] = Card(title="Parquet, one document per row")
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)
    begins: ClassVar[bytes] = b"PAR1"
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "n_units", "unit", "segmentation", *DETAILS})

    start: int = param(0, "first row to read, counted from 0", minimum=0)
    stop: int | None = param(None, "row before which reading stops; None for the end of the file", minimum=0)
    columns: str | None = param(None, "roles of columns, such as 'doc=dial_id,label=topic'; see the format labels")
    marks: str | None = marks_param()

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        with _faults(path):
            source = io.BytesIO(read_bytes(path)) if path.suffix.lower() in COMPRESSIONS else path
            rows = _parquet_rows if head(path, len(Parquet.begins)) == Parquet.begins else _arrow_rows
            size = len(source.getbuffer()) if isinstance(source, io.BytesIO) else path.stat().st_size
            most = max(ALLOWANCE.value, min(RATIO.value * size, CONTENT.value), 4 * size)
            length = None if self.stop is None else max(0, self.stop - self.start)
            table, others = rows(source, self.start, length, most, any_columns=self.columns is not None)
            if others is None:
                found = list(enumerate(table.to_pylist(), start=self.start + 1))
                return read_records(found, self.columns, self.marks, path, strict=strict)
            if others:
                shown = ", ".join(others[:3]) + (", …" if len(others) > 3 else "")
                notice(f"other columns are not read ({shown})", path, strict=strict)
            return corpus_of(table, str(path), self.start + 1)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Yield the file."""
        sink = io.BytesIO()
        pyarrow("pyarrow.parquet").write_table(table_of(corpus), sink)
        yield sink.getvalue()


def n_rows(path: str | Path) -> int:
    """Return the number of documents in a Parquet file, without reading them."""
    with _faults(path):
        return int(pyarrow("pyarrow.parquet").ParquetFile(path).metadata.num_rows)


def _repeated_texts(file: Any, groups: list[int], most: int, columns: Collection[str]) -> list[str]:
    """Refuse row groups whose footer announces more than ``most`` bytes; return columns that may yet expand to more.

    The values of a dictionary are stored once each. How often and how long they are is known when the column is read as a
    dictionary, which takes 4 bytes per value.
    """
    places = [place for place, column in enumerate(file.schema) if column.path.partition(".")[0] in columns]
    _check_size(sum(file.metadata.row_group(group).total_byte_size for group in groups), most)
    for group in groups:  # to look at a damaged chunk ends the process, unless reading it was refused before
        next(file.iter_batches(1, [group], list(columns), use_threads=False), None)
    chunks = [file.metadata.row_group(group).column(place) for group in groups for place in places]
    _check_size(sum(max(each.total_uncompressed_size, 8 * each.num_values) for each in chunks), most)
    texts = [each for each in chunks if each.physical_type == "BYTE_ARRAY"]
    repeated = [each for each in texts if any("DICTIONARY" in how for how in each.encodings)]
    return list({each.path_in_schema for each in repeated if each.total_uncompressed_size * each.num_values > most})


def _check_size(total: int, most: int) -> None:
    if total > most:
        raise FormatError((RATIO if most < CONTENT.value else CONTENT).refusal("expands to more than"))


def _expanded(table: Any) -> int:
    """Return how many bytes the texts of a table's dictionaries take when each is written out."""
    pa, compute, total = pyarrow(), pyarrow("pyarrow.compute"), 0
    for chunk in (chunk for column in table.columns for chunk in column.chunks):
        while not isinstance(chunk, pa.DictionaryArray) and hasattr(chunk, "flatten") and chunk.type.num_fields == 1:
            chunk = chunk.flatten()
        if isinstance(chunk, pa.DictionaryArray) and not pyarrow("pyarrow.types").is_primitive(chunk.type.value_type):
            lengths = compute.fill_null(compute.binary_length(chunk.dictionary), 0).cast(pa.int64())
            total += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    return total


def _parquet_rows(
    source: Any, start: int, length: int | None, most: int, *, any_columns: bool
) -> tuple[Any, list[str] | None]:
    """Return some rows of a file as a table, and the names of the columns it leaves out; None if it has other columns."""
    file = pyarrow("pyarrow.parquet").ParquetFile(source)
    names, offset, seen = file.schema_arrow.names, 0, 0
    groups: list[int] = []
    for group in range(file.metadata.num_row_groups):
        size = file.metadata.row_group(group).num_rows
        if seen + size > start and (length is None or seen < start + length):
            offset = offset if groups else start - seen
            groups.append(group)
        seen += size
    own = not any_columns and is_own(names)
    columns = [name for name in names if name in COLUMNS or not own]
    if repeated := _repeated_texts(file, groups, most, columns):
        file = pyarrow("pyarrow.parquet").ParquetFile(source, read_dictionary=repeated)
    table = file.read_row_groups(groups, columns=columns)
    _check_size(_expanded(table), most)
    return table.slice(offset, length), [name for name in names if name not in columns] if own else None


def _arrow_rows(
    source: Any, start: int, length: int | None, most: int, *, any_columns: bool
) -> tuple[Any, list[str] | None]:
    data = source.getbuffer() if isinstance(source, io.BytesIO) else pyarrow().memory_map(str(source)).read_buffer()
    _check_size(announced(data), most)
    whole = pyarrow("pyarrow.feather").read_table(source)
    whole.validate(full=True)  # an Arrow file is mapped without checks, even if its offsets are out of range
    if any_columns or not is_own(whole.column_names):
        _check_size(_expanded(whole), most)
        return whole.slice(start, length), None
    others = [name for name in whole.column_names if name not in COLUMNS]
    _check_size(_expanded(whole.drop_columns(others)), most)
    return whole.drop_columns(others).slice(start, length), others


@contextlib.contextmanager
def _faults(path: str | Path) -> Iterator[None]:
    pa = pyarrow()
    try:
        yield
    except (pa.ArrowException, EOFError, UnicodeDecodeError) as error:
        raise FormatError(f"is not a complete Parquet or Arrow file ({error}); write it again", path) from None
    except OSError as error:
        raise FormatError(f"cannot be read ({error}); check the file", path) from None
