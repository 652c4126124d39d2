"""Inputs that are not one file: datasets and tables in Python, patterns, and addresses."""

import gzip
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import caesura as cz
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus
from caesura.errors import CaesuraError, FormatError, SegmentationError
from caesura.formats import load
from caesura.segmentation import Segmentation

ROWS = [{"id": f"d{i}", "n_units": 9 + i, "boundaries": [2, 4 + i]} for i in range(6)]
OTHER = [{**row, "boundaries": [3]} for row in ROWS]


class Dataset:
    """Rows as a hub's dataset gives them: an object that is iterated anew each time."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)


@pytest.fixture
def parts(tmp_path):
    for name, rows in (("gold", ROWS), ("a", OTHER)):
        for place, part in enumerate((rows[:2], rows[2:3], rows[3:])):
            text = "\n".join(map(json.dumps, part))
            (tmp_path / f"{name}-{place}.jsonl").write_text(text)
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path


def scores(reference, system):
    return cz.evaluate(reference, {"a": system}).results().systems


def test_datasets_lists_and_generators_of_rows(parts):
    expected = scores(parts / "gold.jsonl", parts / "a.jsonl")
    assert scores(Dataset(ROWS), Dataset(OTHER)) == expected
    assert scores(ROWS, OTHER) == expected
    assert scores(iter(ROWS), (row for row in OTHER)) == expected
    with_arrays = [{**row, "boundaries": np.array(row["boundaries"]), "title": None} for row in ROWS]
    assert scores(with_arrays, OTHER) == expected


def test_a_wrong_row_is_named():
    with pytest.raises(FormatError, match=r"row 2 of reference: .*'d1'"):
        cz.evaluate([ROWS[0], {**ROWS[1], "boundaries": [99]}], {"a": ROWS})
    with pytest.raises(FormatError, match="rows must be dictionaries"):
        cz.evaluate([ROWS[0], 3], {"a": ROWS})


def test_tables_of_any_library_with_arrow_data(parts):
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow (caesura-eval[parquet])")
    expected = scores(parts / "gold.jsonl", parts / "a.jsonl")
    gold, other = pa.Table.from_pylist(ROWS), pa.Table.from_pylist(OTHER)
    assert scores(gold, other) == expected
    assert scores(gold.to_batches()[0], other.to_reader()) == expected
    assert list(cz.evaluate(gold, other).systems) == ["hypothesis"]
    pandas = pytest.importorskip("pandas")
    if hasattr(pandas.DataFrame, "__arrow_c_stream__"):
        assert scores(gold.to_pandas(), other) == expected
    with pytest.raises(CaesuraError, match=r"no column is named label, .*; the columns are id, n_units"):
        scores(gold.drop_columns(["boundaries"]), other)


def test_a_pattern_is_all_files_that_match(parts, monkeypatch):
    expected = scores(parts / "gold.jsonl", parts / "a.jsonl")
    assert scores(str(parts / "gold-*.jsonl"), str(parts / "a-?.jsonl")) == expected
    monkeypatch.chdir(parts)
    assert list(load("gold-[01].jsonl").ids) == ["d0", "d1", "d2"]
    assert isinstance(load("gold-*.jsonl"), Corpus)
    with pytest.raises(FormatError, match=r"no-\*\.jsonl: no file matches"):
        load("no-*.jsonl")


def test_a_pattern_of_packed_files_and_of_twice_the_same(parts):
    for path in parts.glob("gold-*.jsonl"):
        path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert list(load(parts / "gold-*.jsonl.gz").ids) == [row["id"] for row in ROWS]
    with pytest.raises(CaesuraError, match=r"'d0' .*appears twice"):
        load(parts / "gold*.jsonl")


def test_a_file_that_is_called_like_a_pattern_is_a_file(parts):
    (parts / "odd[1].jsonl").write_text(json.dumps(ROWS[0]))
    assert list(load(parts / "odd[1].jsonl").ids) == ["d0"]


def test_files_without_ids_are_named_by_their_files(tmp_path):
    (tmp_path / "a.masses").write_text("3 4\n")
    (tmp_path / "b.masses").write_text("5\n2 2\n")
    assert list(load(tmp_path / "*.masses").ids) == ["a", "b/1", "b/2"]


def test_addresses_are_opened(parts):
    fsspec = pytest.importorskip("fsspec", reason="needs fsspec (caesura-eval[parquet])")
    memory = fsspec.filesystem("memory")
    for path in parts.iterdir():
        memory.pipe(f"/bucket/{path.name}", path.read_bytes())
    expected = scores(parts / "gold.jsonl", parts / "a.jsonl")
    assert scores("memory://bucket/gold.jsonl", "memory://bucket/a.jsonl") == expected
    assert scores("memory://bucket/gold-*.jsonl", "memory://bucket/a-*.jsonl") == expected
    assert scores(f"file://{parts}/gold.jsonl", f"file://{parts}/a.jsonl::jsonl") == expected


def test_an_address_that_cannot_be_read_is_named(tmp_path):
    fsspec = pytest.importorskip("fsspec", reason="needs fsspec (caesura-eval[parquet])")
    with pytest.raises(FormatError, match=r"memory://nothing/here.jsonl: there is no such file"):
        load("memory://nothing/here.jsonl")
    with pytest.raises(FormatError, match=r"nosuchkind://x/y.jsonl: cannot be"):
        load("nosuchkind://x/y.jsonl")
    memory = fsspec.filesystem("memory")
    memory.pipe("/bucket/bad.jsonl", b'{"id": "a", "n_units": 3, "boundaries": [7]}\n')
    with pytest.raises(FormatError, match=r"^memory://bucket/bad.jsonl:1: document 'a'"):
        load("memory://bucket/bad.jsonl")


def test_a_bucket_without_permission_is_named(monkeypatch):
    fsspec = pytest.importorskip("fsspec", reason="needs fsspec (caesura-eval[parquet])")
    from fsspec.implementations.memory import MemoryFileSystem

    class Closed(MemoryFileSystem):
        protocol = "closed"

        def _open(self, *args, **options):
            raise PermissionError(13, "Forbidden")

    fsspec.register_implementation("closed", Closed, clobber=True)
    with pytest.raises(
        FormatError, match=r"closed://bucket/gold.jsonl: cannot be read: access is denied .*credentials"
    ):
        load("closed://bucket/gold.jsonl")


def test_what_is_not_a_document_or_a_shard_is_said(tmp_path):
    from caesura.scale import count, finish, merge

    with pytest.raises(CaesuraError, match="document 1 is a Segmentation; it must be a Document"):
        Corpus([Segmentation(5)])
    with pytest.raises(CaesuraError, match="give a mapping of document id to segmentation"):
        Corpus.from_segmentations([Segmentation(5)])
    with pytest.raises(CaesuraError, match="a str is not the result of a shard"):
        merge(["shard0"])
    shard = count({"d": Segmentation(5, (2,))}, {"a": {"d": Segmentation(5, (2,))}}, ["F1"])
    assert finish(merge(shard)).systems["a"]["F1"].score == 1.0
    cz.save({"d": Segmentation(5, (2,))}, tmp_path / "x.jsonl")
    assert cz.load(tmp_path / "x.jsonl").ids == ["d"]
    one, other = (Pairs.of(Segmentation(5), Segmentation(5)) for _ in range(2))
    assert one == one
    assert one != other
    assert len({one, other}) == 2


# ---------------------------------------------------------------------------------------------- marks

ENDS = ("0001001000", "001000000", "00000100")
GUESSES = ("0010001000", "000100010", "00000010")


def _rows(flags: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"id": f"d{n}", "labels": list(map(int, row))} for n, row in enumerate(flags)]


def _meant(flags: tuple[str, ...], marks: Any) -> dict[str, Segmentation]:
    return {f"d{n}": Segmentation.from_bits(row, marks=marks) for n, row in enumerate(flags)}


def test_rows_of_0_and_1_are_asked_about() -> None:
    with pytest.raises(
        FormatError, match=r"\Arow 1 of reference: labels of 0 and 1 can mean .* topics .* marks='last'\Z"
    ):
        cz.evaluate(_rows(ENDS), {"good": _rows(GUESSES)})
    with pytest.raises(FormatError, match=r"\Arow 1 of good: labels of 0 and 1"):
        cz.evaluate(_meant(ENDS, "last"), {"good": _rows(GUESSES)})
    for marks in ("first", "last"):
        found = cz.evaluate(_rows(ENDS), {"good": _rows(GUESSES)}, marks=marks)
        assert found.scores == cz.evaluate(_meant(ENDS, marks), {"good": _meant(GUESSES, marks)}).scores
    topics = {f"d{n}": Segmentation.from_labels(row) for n, row in enumerate(ENDS)}
    found = cz.evaluate(_rows(ENDS), {"good": topics}, "Pk", marks="topics")
    assert found.scores["good"]["Pk"] == 0


def test_marks_hold_for_documents_that_are_spelled() -> None:
    plain = cz.evaluate(_meant(ENDS, "last"), {"s": _meant(GUESSES, "last")}, "Pk").scores["s"]
    for spell in (str, lambda row: [bit == "1" for bit in row], lambda row: list(map(int, row))):
        sides = [{f"d{n}": spell(row) for n, row in enumerate(flags)} for flags in (ENDS, GUESSES)]
        assert cz.evaluate(sides[0], {"s": sides[1]}, "Pk", marks="last").scores["s"] == plain
        assert cz.evaluate(*sides, "Pk", marks="last").scores["hypothesis"] == plain
    arrays = [{f"d{n}": np.array(list(row), int) for n, row in enumerate(flags)} for flags in (ENDS, GUESSES)]
    assert cz.evaluate(*arrays, "Pk", marks="last").scores["hypothesis"] == plain
    one = cz.evaluate([0, 0, 1, 0], [0, 1, 0, 0], "Pk", marks="first")
    assert one.scores == cz.evaluate("010", "100", "Pk").scores
    with pytest.raises(SegmentationError, match="is a list; it must be a Segmentation"):
        cz.evaluate({"d": [0, 0, 1, 0]}, {"d": [0, 1, 0, 0]}, "Pk")
    with pytest.raises(SegmentationError, match="marks is 'frist'"):
        cz.evaluate("010", "100", "Pk", marks="frist")


def test_lists_that_all_begin_with_a_1_are_not_taken_for_gaps() -> None:
    flags = {str(n): [True, False, False, n % 2 == 0, False] for n in range(6)}
    with pytest.raises(
        SegmentationError, match=r"\Areference: every document begins with a 1.* marks='first', or marks='gap'"
    ):
        cz.evaluate(flags, flags, "Pk")
    assert cz.evaluate(flags, flags, "Pk", marks="first").reference.corpus["0"].n_units == 5
    assert cz.evaluate(flags, flags, "Pk", marks="gap").reference.corpus["0"].n_units == 6
    flags["0"][0] = False
    assert cz.evaluate(flags, flags, "Pk").reference.corpus["0"].n_units == 6


def test_marks_reach_every_reader(tmp_path: Path) -> None:
    readers = [
        name
        for name in cz.__all__
        if inspect.isfunction(getattr(cz, name))
        and {"format", "strict"} <= inspect.signature(getattr(cz, name)).parameters.keys()
    ]
    assert {"agreement", "evaluate", "explain", "load", "sweep"} <= set(readers)
    assert [n for n in readers if "marks" not in inspect.signature(getattr(cz, n)).parameters] == []
    meant, bare = _meant(ENDS, "last"), {f"d{n}": Segmentation(len(row)) for n, row in enumerate(ENDS)}
    told = [
        cz.explain(side, bare, "Pk", **how).row("Pk", "NLTK, gap string").outcome.score
        for side, how in ((meant, {}), (_rows(ENDS), {"marks": "last"}))
    ]
    assert told[0] == told[1]
    path = tmp_path / "people.csv"
    flags = zip(ENDS[0], GUESSES[0], strict=True)
    path.write_text("doc,ann,bob\n" + "".join(f"d,{ann},{bob}\n" for ann, bob in flags))
    columns = "labels(columns='annotators=ann+bob')"
    found = cz.agreement(path, ["FleissKappa"], format=columns, marks="last", resamples=10)
    assert found.corpus["d"].annotations == {"ann": meant["d0"], "bob": _meant(GUESSES, "last")["d0"]}
