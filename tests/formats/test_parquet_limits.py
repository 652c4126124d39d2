# SPDX-License-Identifier: Apache-2.0
"""Parquet and Arrow files that expand: a text that is stored once and repeated millions of times."""

from __future__ import annotations

import contextlib
import gzip
import io

import numpy as np
import pytest

from caesura import load
from caesura.errors import FormatError
from caesura.formats._arrow import announced
from tests.libraries import library

pa = library("pyarrow")
TEXT, TIMES = "x" * 1_000, 60_000  # 60 MB from 5 kB


def lists(text: str, times: int):
    values = pa.DictionaryArray.from_arrays(pa.array([0] * times, pa.int32()), pa.array([text]))
    return pa.table({"id": ["a"], "units": pa.ListArray.from_arrays(pa.array([0, times], pa.int32()), values)})


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.arrow"])
def test_texts_that_are_repeated_are_counted_before_they_are_written_out(name, tmp_path, monkeypatch):
    path, table = tmp_path / name, lists(TEXT, TIMES)
    if name == "a.parquet":
        library("pyarrow.parquet").write_table(table, path)
    else:
        library("pyarrow.feather").write_feather(table, path, compression="lz4")
    assert path.stat().st_size < 10_000
    with pytest.raises(FormatError, match="expands to more than 100 times its size, the limit"):
        load(path)
    monkeypatch.setenv("CAESURA_LIMITS", "100")
    assert load(path)["a"].units == (TEXT,) * TIMES


def test_plain_texts_of_a_dictionary_are_read_as_before(tmp_path):
    library("pyarrow.parquet").write_table(lists("yes", 20), tmp_path / "a.parquet")
    assert load(tmp_path / "a.parquet")["a"].units == ("yes",) * 20


def test_pages_that_announce_too_much_are_refused(tmp_path):
    table = pa.table({"id": ["a"], "n_units": [10**7], "boundaries": [list(range(1, 4_000_000))]})
    table = table.set_column(2, "boundaries", pa.array([[1] * 4_000_000]))
    library("pyarrow.parquet").write_table(table, tmp_path / "a.parquet", compression="zstd")
    assert (tmp_path / "a.parquet").stat().st_size < 100_000
    with pytest.raises(FormatError, match="expands to more than"):
        load(tmp_path / "a.parquet")


def test_a_damaged_footer_does_not_end_the_process(tmp_path):
    path = tmp_path / "a.parquet"
    library("pyarrow.parquet").write_table(lists("yes", 20), path)
    optional, required = b"\x25\x02\x18\x02id", b"\x25\x00\x18\x02id"  # of the column id, whose counts then do not fit
    assert path.read_bytes().count(optional) == 1
    path.write_bytes(path.read_bytes().replace(optional, required))
    with pytest.raises(FormatError, match="histogram"):
        load(path)


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
@pytest.mark.parametrize("ending", [".arrow", ".arrow.gz"])
def test_compressed_buffers_of_arrow_are_measured_before_they_are_read(compression, ending, tmp_path, monkeypatch):
    path = tmp_path / f"a{ending}"
    table = lists(TEXT, TIMES)
    plain = table.set_column(1, "units", table["units"].cast(pa.list_(pa.string())))
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, plain.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(plain)
    path.write_bytes(gzip.compress(sink.getvalue()) if ending.endswith("gz") else sink.getvalue())
    assert path.stat().st_size < TIMES * len(TEXT) / 100
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(FormatError, match="expands to more than"):
        load(path)
    assert pa.default_memory_pool().max_memory() == before
    monkeypatch.setenv("CAESURA_LIMITS", "100")
    assert load(path)["a"].units == (TEXT,) * TIMES


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_what_arrow_announces_is_what_its_buffers_take(compression):
    rng = np.random.default_rng(1)
    table = pa.table(
        {
            "id": ["a", "b"],
            "n_units": [5, 6],
            "boundaries": [[1], [2, 3]],
            "unit": pa.array(["s", "s"]).dictionary_encode(),
            "units": [["x" * 100] * 5, [rng.bytes(900).hex()] * 6],
        }
    )
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
        writer.write_table(table)
    data = sink.getvalue()
    within = 1_000  # padding and validity
    assert abs(announced(pa.py_buffer(data)) - 2 * table.nbytes) < within
    for end in range(0, len(data), 13):  # a part of a file is refused or measured, never anything else
        with contextlib.suppress(FormatError):
            announced(pa.py_buffer(data[:end]))
