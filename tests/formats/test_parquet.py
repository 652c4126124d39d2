# SPDX-License-Identifier: Apache-2.0
"""Parquet and Arrow: every layout of the same documents is read alike, and damage is named."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, CaesuraWarning, FormatError
from caesura.formats import detect, load, save
from caesura.segmentation import Segmentation as S

pa = pytest.importorskip("pyarrow", reason="needs pyarrow (caesura-eval[parquet])")
pq = pytest.importorskip("pyarrow.parquet")

IDS = ["a", "b", "c", "d"]
UNITS = [9, 4, 1, 7]
GAPS = [[3, 6], [], [], [2]]


def table(ids=None, n_units=None, gaps=None, **more):
    columns = {
        "id": pa.array(IDS) if ids is None else ids,
        "n_units": pa.array(UNITS) if n_units is None else n_units,
        "boundaries": pa.array(GAPS, type=pa.list_(pa.int32())) if gaps is None else gaps,
    }
    return pa.table(columns | more)


def written(tmp_path, made, name="x.parquet", **options) -> Path:
    path = tmp_path / name
    pq.write_table(made, path, **options)
    return path


def check(corpus: Corpus) -> None:
    assert list(corpus.ids) == IDS
    assert corpus.flat.n_units.tolist() == UNITS
    assert [list(d.segmentation.boundaries) for d in corpus] == GAPS


LAYOUTS = {
    "plain": lambda: table(),
    "dictionary ids": lambda: table(ids=pa.array(IDS).dictionary_encode()),
    "large strings": lambda: table(ids=pa.array(IDS, type=pa.large_string())),
    "large lists": lambda: table(gaps=pa.array(GAPS, type=pa.large_list(pa.int64()))),
    "small numbers": lambda: table(
        n_units=pa.array(UNITS, type=pa.uint8()), gaps=pa.array(GAPS, type=pa.list_(pa.int16()))
    ),
    "unsigned": lambda: table(n_units=pa.array(UNITS, type=pa.uint64())),
    "sliced": lambda: pa.concat_tables([table(), table()]).combine_chunks().slice(4, 4),
    "sliced inside": lambda: pa.table(
        {
            "id": pa.array(["x", *IDS, "y"]).slice(1, 4),
            "n_units": pa.array([5, *UNITS, 5]).slice(1, 4),
            "boundaries": pa.array([[1, 2], *GAPS, [4]], type=pa.list_(pa.int32())).slice(1, 4),
        }
    ),
    "chunked": lambda: pa.concat_tables([table().slice(0, 1), table().slice(1, 2), table().slice(3)]),
    "a unit": lambda: table(unit=pa.array([None] * 4, type=pa.string())),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read_alike(layout, tmp_path):
    made = LAYOUTS[layout]()
    check(load(written(tmp_path, made)))
    from caesura.formats._arrow import corpus_of

    check(corpus_of(made))


def test_an_arrow_file_whose_offsets_lead_outside_is_refused(tmp_path):
    pos = pa.array([1, 2, 3], pa.int64())
    lists = pa.ListArray.from_buffers(
        pa.list_(pa.int64()), 2, [None, pa.py_buffer(np.array([0, 18, 3], "i4"))], 0, 0, [pos]
    )
    table = pa.table({"id": ["a", "b"], "n_units": [5, 5], "boundaries": lists})
    path = tmp_path / "damaged.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(FormatError, match="is not a complete Parquet or Arrow file"):
        cz.load(path)


def test_arrow_files_are_read(tmp_path):
    feather = pytest.importorskip("pyarrow.feather")
    feather.write_feather(table(), str(tmp_path / "x.arrow"))
    check(load(tmp_path / "x.arrow"))
    with pa.ipc.new_file(str(tmp_path / "y.arrow"), table().schema) as sink:
        sink.write_table(table(), max_chunksize=2)
    check(load(tmp_path / "y.arrow"))


def test_a_format_is_told_by_its_content(tmp_path):
    path = written(tmp_path, table(), "nameless")
    assert detect(path).name() == "parquet"
    check(load(path))


def test_null_lists_have_no_segmentation(tmp_path):
    gaps = pa.array([[3], None, [], None], type=pa.list_(pa.int32()))
    corpus = load(written(tmp_path, table(gaps=gaps)))
    assert corpus.present.tolist() == [True, False, True, False]
    assert corpus["b"].segmentation is None
    with pytest.raises(CaesuraError, match=r"document 'b' \(and 1 more\) of the reference has no boundaries"):
        cz.evaluate(corpus, {"h": corpus})


def test_whole_numbers_as_ids_and_a_unit(tmp_path):
    made = table(ids=pa.array([1, 2, 3, 4]), unit=pa.array(["turn"] * 4).dictionary_encode())
    corpus = load(written(tmp_path, made))
    assert list(corpus.ids) == ["1", "2", "3", "4"]
    assert corpus.unit == "turn"


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_rows_are_selected_across_row_groups(tmp_path, size):
    path = written(tmp_path, table(), row_group_size=size)
    for start in range(5):
        for stop in range(start, 6):
            corpus = load(f"{path}::parquet(start={start}, stop={stop})")
            assert list(corpus.ids) == IDS[start:stop]
            assert corpus.flat.n_units.tolist() == UNITS[start:stop]
    assert list(load(f"{path}::parquet(start=2)").ids) == IDS[2:]


@pytest.mark.parametrize("name", ["arrow", "parquet"])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_rows_of_an_arrow_file_are_selected_across_its_batches(tmp_path, size, name):
    path = tmp_path / "x.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table().schema) as writer:
        writer.write_table(table(), max_chunksize=size)
    with pa.memory_map(str(path)) as source:
        assert pa.ipc.open_file(source).num_record_batches == -(-4 // size)
    for start in range(5):
        for stop in range(start, 6):
            corpus = load(f"{path}::{name}(start={start}, stop={stop})")
            assert list(corpus.ids) == IDS[start:stop]
            assert corpus.flat.n_units.tolist() == UNITS[start:stop]
            assert [list(d.segmentation.boundaries) for d in corpus] == GAPS[start:stop]
    assert list(load(f"{path}::{name}(start=2)").ids) == IDS[2:]
    assert list(load(f"{path}::{name}(start=3, stop=1)").ids) == []


def test_no_rows(tmp_path):
    path = written(tmp_path, table().slice(0, 0))
    assert len(load(path)) == 0
    with pytest.raises(CaesuraError, match="holds no document"):
        cz.evaluate(path, {"a": path})


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda: table().drop_columns(["n_units"]), "holds positions, and nothing says how many units"),
        (lambda: table(ids=pa.array(["a", None, "c", "d"])), "row 2: the id is null"),
        (lambda: table(n_units=pa.array([9, 4, None, 7])), "row 3: n_units is null"),
        (lambda: table(n_units=pa.array([9.0, 4.0, 1.0, 7.0])), "'n_units' holds double"),
        (lambda: table(ids=pa.array([1.5, 2.0, 3.0, 4.0])), "'id' holds double"),
        (lambda: table(gaps=pa.array([3, 4, 5, 6])), "'boundaries' holds int64"),
        (lambda: table(gaps=pa.array([["x"], [], [], []])), "'boundaries' holds string"),
        (lambda: table(gaps=pa.array([[3], [None], [], []])), "document 'b' has a boundary that is null"),
        (lambda: table(gaps=pa.array([[3], [4], [], []])), "row 2: document 'b':"),
        (lambda: table(gaps=pa.array([[6, 3], [], [], []])), "row 1: document 'a':"),
        (lambda: table(ids=pa.array(["a", "a", "c", "d"])), "'a' appears twice"),
        (lambda: table(unit=pa.array(["turn", "line", None, None])), "count 'line' and 'turn'"),
    ],
)
def test_a_wrong_table_is_refused_with_its_row(made, why, tmp_path):
    with pytest.raises(CaesuraError, match=why) as caught:
        load(written(tmp_path, made()))
    assert "x.parquet" in str(caught.value)


@pytest.mark.parametrize("keep", [0, 3, 4, 40, 200, -1])
def test_a_damaged_file_is_refused(tmp_path, keep):
    path = written(tmp_path, table())
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(FormatError, match=r"x\.parquet: "):
        load(path)


def test_ids_that_are_no_text_are_refused(tmp_path):
    path = written(tmp_path, table(ids=pa.array(["precious", "b", "c", "d"])), compression="none")
    content = path.read_bytes()
    assert b"precious" in content
    path.write_bytes(content.replace(b"precious", b"\xff\xfe\xba\xdf\xe5\xff\xff\xff"))
    with pytest.raises(FormatError, match=r"x\.parquet: "):
        load(path)


def test_other_columns_are_named(tmp_path):
    path = written(tmp_path, table(text=pa.array(["w"] * 4)))
    with pytest.warns(CaesuraWarning, match=r"other columns are not read \(text\)"):
        check(load(path))
    with pytest.raises(FormatError, match="other columns"):
        load(path, strict=True)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 50), st.booleans(), st.randoms()), min_size=1, max_size=20))
def test_what_is_written_is_read_back(tmp_path_factory, drawn):
    documents = []
    for place, (n, present, rng) in enumerate(drawn):
        gaps = tuple(sorted(rng.sample(range(1, n), rng.randint(0, n - 1)))) if n > 1 else ()
        documents.append(Document(id=str(place), n_units=n, segmentation=S(n, gaps) if present else None))
    path = tmp_path_factory.mktemp("p") / "x.parquet"
    save(Corpus(documents), path)
    back = load(path)
    assert [(d.id, d.n_units, d.segmentation) for d in back] == [(d.id, d.n_units, d.segmentation) for d in documents]


def test_the_scores_are_those_of_json_lines(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("gold", "a"):
        lines = []
        for document in range(200):
            gaps = (np.flatnonzero(rng.random(29) < 0.2) + 1).tolist()
            lines.append(json.dumps({"id": f"d{document}", "n_units": 30, "boundaries": gaps}))
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
        save(load(tmp_path / f"{name}.jsonl"), tmp_path / f"{name}.parquet")
    one = cz.evaluate(tmp_path / "gold.jsonl", {"a": tmp_path / "a.jsonl"})
    two = cz.evaluate(tmp_path / "gold.parquet", {"a": tmp_path / "a.parquet"})
    assert one.results().systems == two.results().systems
