"""Texts, speakers, times and scores in Parquet and Arrow: every layout is read alike, and damage is named."""

from __future__ import annotations

import pickle

import pytest

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError
from caesura.formats import from_arrow, load, save
from caesura.segmentation import Segmentation as S

pa = pytest.importorskip("pyarrow", reason="needs pyarrow (caesura-eval[parquet])")

DOCUMENTS = [
    Document(
        id="a",
        n_units=3,
        segmentation=S(3, (2,), unit="turn"),
        unit="turn",
        units=("One.", "Zwei ß.", ""),
        speakers=("A", "B", "A"),
        unit_times=((0.0, 1.5), (1.5, 2.0), (2.0, 2.0)),
        scores=(0.25, 0.75),
    ),
    Document(id="b", n_units=2, unit="turn", units=("Three.", "Four."), speakers=("C", "C")),
    Document(id="c", n_units=1, segmentation=S(1, unit="turn"), unit="turn", scores=()),
]
UNITS = [["One.", "Zwei ß.", ""], ["Three.", "Four."], None]
SPEAKERS = [["A", "B", "A"], ["C", "C"], None]
TIMES = [[[0.0, 1.5], [1.5, 2.0], [2.0, 2.0]], None, None]
STRUCTS = [[{"start": a, "end": b} for a, b in TIMES[0]], None, None]
PAIR = pa.struct([("start", pa.float64()), ("end", pa.float64())])


def table(**changed):
    columns = {
        "id": pa.array(["a", "b", "c"]),
        "n_units": pa.array([3, 2, 1]),
        "boundaries": pa.array([[2], None, []], type=pa.list_(pa.int32())),
        "unit": pa.array(["turn"] * 3),
        "units": pa.array(UNITS, type=pa.list_(pa.string())),
        "speakers": pa.array(SPEAKERS, type=pa.list_(pa.string())),
        "unit_times": pa.array(STRUCTS, type=pa.list_(PAIR)),
        "scores": pa.array([[0.25, 0.75], None, []], type=pa.list_(pa.float64())),
    }
    return pa.table(columns | changed)


def dictionaries(rows):
    """Return lists of strings whose strings are in a dictionary."""
    plain = pa.array(rows, type=pa.list_(pa.string()))
    starts = pa.array([0, 3, None, 5], type=pa.int32()) if rows[1] is None else plain.offsets
    return pa.ListArray.from_arrays(starts, plain.flatten().dictionary_encode(), mask=plain.is_null())


LAYOUTS = {
    "plain": lambda: table(),
    "large": lambda: table(
        units=pa.array(UNITS, type=pa.large_list(pa.large_string())),
        speakers=pa.array(SPEAKERS, type=pa.large_list(pa.string())),
        scores=pa.array([[0.25, 0.75], None, []], type=pa.large_list(pa.float32())),
    ),
    "dictionaries": lambda: table(speakers=dictionaries(SPEAKERS), id=pa.array(["a", "b", "c"]).dictionary_encode()),
    "pairs as lists": lambda: table(unit_times=pa.array(TIMES, type=pa.list_(pa.list_(pa.float64())))),
    "pairs of two": lambda: table(unit_times=pa.array(TIMES, type=pa.list_(pa.list_(pa.float64(), 2)))),
    "pairs of floats": lambda: table(unit_times=pa.array(TIMES, type=pa.large_list(pa.list_(pa.float32())))),
    "sliced": lambda: pa.concat_tables([table(), table()]).combine_chunks().slice(3, 3),
    "chunked": lambda: pa.concat_tables([table().slice(0, 1), table().slice(1)]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_read_alike(layout, tmp_path):
    made = LAYOUTS[layout]()
    assert list(from_arrow(made)) == DOCUMENTS
    with pa.ipc.new_file(str(tmp_path / "x.arrow"), made.schema) as sink:
        sink.write_table(made)
    assert list(load(tmp_path / "x.arrow")) == DOCUMENTS
    if layout != "dictionaries":  # which Parquet cannot hold inside lists
        import pyarrow.parquet as pq

        pq.write_table(made, tmp_path / "x.parquet", row_group_size=2)
        assert list(load(tmp_path / "x.parquet")) == DOCUMENTS
        assert list(load(f"{tmp_path}/x.parquet::parquet(start=1, stop=2)")) == DOCUMENTS[1:2]


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.feather", "x.arrow.gz"])
def test_what_is_written_is_read_back(tmp_path, name):
    save(Corpus(DOCUMENTS), tmp_path / name)
    assert list(load(tmp_path / name)) == DOCUMENTS


def test_an_arrow_file_is_one(tmp_path):
    save(Corpus(DOCUMENTS), tmp_path / "x.arrow")
    assert pa.ipc.open_file(str(tmp_path / "x.arrow")).read_all().num_rows == 3


def test_texts_alone_are_documents(tmp_path):
    made = table().select(["id", "units"]).slice(0, 2)
    corpus = from_arrow(made)
    assert corpus.flat.n_units.tolist() == [3, 2]
    assert [document.segmentation for document in corpus] == [None, None]
    assert corpus["b"].units == ("Three.", "Four.")
    with pytest.raises(CaesuraError, match="row 3: units is null"):
        from_arrow(table().select(["id", "units"]))


def test_no_document_is_made_that_is_not_asked_for(monkeypatch):
    rows = []
    from caesura.formats import _arrow

    original = _arrow.Details.__call__
    monkeypatch.setattr(_arrow.Details, "__call__", lambda self, row: rows.append(row) or original(self, row))
    some = table().slice(0, 1)
    assert cz.evaluate(some, {"a": some}, ["F1"]).scores["a"]["F1"] == 1.0
    assert rows == []
    corpus = from_arrow(table())
    assert corpus["b"].speakers == ("C", "C")
    assert rows == [1]
    assert list(pickle.loads(pickle.dumps(corpus))) == DOCUMENTS


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"units": pa.array([["x"], ["y", "z"], None])}, "row 1: document 'a' has 3 units and 1 units"),
        ({"scores": pa.array([[1.0, 2.0], [1.0, 2.0], []])}, "row 2: document 'b' has 2 units and 2 scores; give one per gap"),
        ({"units": pa.array([[1, 2, 3], [1, 2], None])}, "'units' holds lists of int64"),
        ({"units": pa.array(["x", "y", "z"])}, "'units' holds string; it must hold lists of strings"),
        ({"speakers": pa.array([["A", None, "A"], ["C", "C"], None])}, "'speakers' has a null inside a list"),
        ({"scores": pa.array([["a", "b"], None, []])}, "'scores' holds lists of string"),
        ({"unit_times": pa.array([[[0.0], [1.0], [2.0]], None, None])}, "does not have two numbers"),
        ({"unit_times": pa.array([[[2.0, 1.0]] * 3, None, None])}, r"unit_times has \[2.0, 1.0\]"),
        ({"unit_times": pa.array([[[0.0, float("nan")]] * 3, None, None])}, r"unit_times has \[0.0, nan\]"),
        ({"unit_times": pa.array([[[0.0, None]] * 3, None, None])}, "'unit_times' has a null inside"),
        ({"unit_times": pa.array([[{"begin": 0.0}] * 3, None, None])}, "'unit_times' holds begin"),
        ({"unit_times": pa.array([["0", "1", "2"], None, None])}, "'unit_times' holds string"),
        ({"unit_times": pa.array([[["0", "1"]] * 3, None, None])}, "'unit_times' holds lists of string"),
    ],
)  # fmt: skip
def test_wrong_columns_are_refused(changed, why):
    with pytest.raises(CaesuraError, match=why):
        from_arrow(table(**changed))


def test_tables_and_datasets_with_texts_are_segmented_and_measured(tmp_path):
    texts = {key: [f"About {word}.", f"More {word}.", "The end."] for key, word in (("a", "tea"), ("b", "ships"))}
    rows = [{"id": key, "units": units, "boundaries": [2]} for key, units in texts.items()]
    made = pa.Table.from_pylist(rows)
    expected = cz.cohesion(Corpus([*from_arrow(made)]), {"h": made}).results().systems
    assert cz.cohesion(made, {"h": made}).results().systems == expected
    assert cz.cohesion(rows, {"h": rows}).results().systems == expected
    save(from_arrow(made), tmp_path / "x.parquet")
    assert cz.cohesion(tmp_path / "x.parquet", {"h": tmp_path / "x.parquet"}).results().systems == expected
