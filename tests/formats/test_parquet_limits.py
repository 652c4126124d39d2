# SPDX-License-Identifier: Apache-2.0
"""Parquet and Arrow files that expand: a text that is stored once and repeated millions of times."""

from __future__ import annotations

import pytest

from caesura import load
from caesura.errors import FormatError
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
