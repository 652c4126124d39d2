"""Records of any keys: every natural layout of the same documents gives the same boundaries."""

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from caesura.errors import CaesuraWarning, FormatError
from caesura.evaluation.evaluate.run import evaluate
from caesura.evaluation.inputs import read_source
from caesura.formats import load
from caesura.segmentation import Segmentation

UNITS = {
    "a": ["Hello.", "How are you?", "Where is the tower?", "Over there.", "Thanks.", "Let us eat."],
    "b": ["Good day.", "A ticket, please.", "Ten pounds.", "Here you are.", "When does it close?"],
}
MASSES = {"a": (2, 3, 1), "b": (4, 1)}
LABELS = {key: [number for number, mass in enumerate(masses) for _ in range(mass)] for key, masses in MASSES.items()}
STARTS = {key: [int(i == 0 or row[i] != row[i - 1]) for i in range(len(row))] for key, row in LABELS.items()}
ENDS = {key: [*row[1:], 1] for key, row in STARTS.items()}
CUTS = {"a": [2, 5], "b": [4]}


def segments(key: str) -> list[list[str]]:
    cuts = [0, *CUTS[key], len(UNITS[key])]
    return [UNITS[key][begin:end] for begin, end in itertools.pairwise(cuts)]


def ranges(key: str, base: int, closed: bool) -> list[dict[str, int]]:
    cuts = [0, *CUTS[key], len(UNITS[key])]
    return [{"start": b + base, "end": e + base - closed} for b, e in itertools.pairwise(cuts)]


def turns(key: str, **more: list[Any]) -> list[dict[str, Any]]:
    return [
        {"utterance": text, "role": "ab"[place % 2]} | {name: values[place] for name, values in more.items()}
        for place, text in enumerate(UNITS[key])
    ]


def per_unit() -> list[dict[str, Any]]:
    return [
        {"dialogue_id": key, "turn_id": place, "text": text, "topic": LABELS[key][place]}
        for key in UNITS
        for place, text in enumerate(UNITS[key])
    ]


SHAPES: dict[str, Callable[[], Any]] = {
    "dialogues with turns": lambda: [{"dial_id": k, "turns": turns(k, topic_id=LABELS[k])} for k in UNITS],
    "turns with SuperDialseg's flag": lambda: [
        {"dial_id": k, "turns": turns(k, segmentation_label=ENDS[k])} for k in UNITS
    ],
    "parallel lists": lambda: [{"dialogue_id": k, "utterances": UNITS[k], "labels": LABELS[k]} for k in UNITS],
    "turns with lists of their own": lambda: [
        {"dial_id": k, "turns": [turn | {"acts": ["a", "b"]} for turn in turns(k, topic=LABELS[k])]} for k in UNITS
    ],
    "segment ids": lambda: [{"dialogue_id": k, "utterances": UNITS[k], "segment_ids": LABELS[k]} for k in UNITS],
    "start flags": lambda: [{"id": k, "sentences": UNITS[k], "is_start": STARTS[k]} for k in UNITS],
    "start flags as booleans": lambda: [
        {"id": k, "sentences": UNITS[k], "is_start": list(map(bool, STARTS[k]))} for k in UNITS
    ],
    "id to topics": lambda: LABELS,
    "id to record": lambda: {k: {"utterances": UNITS[k], "topics": LABELS[k]} for k in UNITS},
    "id to turns": lambda: {k: turns(k, topic=LABELS[k]) for k in UNITS},
    "id to bits": lambda: {k: "".join(map(str, STARTS[k][1:])) for k in UNITS},
    "nested lists": lambda: [{"id": k, "segments": segments(k)} for k in UNITS],
    "id to nested lists": lambda: {k: segments(k) for k in UNITS},
    "segments with sentences": lambda: [
        {"id": k, "segments": [{"title": "x", "sentences": each} for each in segments(k)]} for k in UNITS
    ],
    "segments with turns": lambda: [
        {"id": k, "topics": [{"topic": "x", "turns": [{"text": t} for t in each]} for each in segments(k)]}
        for k in UNITS
    ],
    "ranges from 0, open": lambda: [{"id": k, "segments": ranges(k, 0, False)} for k in UNITS],
    "ranges from 0, closed": lambda: [{"id": k, "segments": ranges(k, 0, True)} for k in UNITS],
    "ranges from 1, closed": lambda: [{"id": k, "segments": ranges(k, 1, True)} for k in UNITS],
    "ranges with texts": lambda: [{"id": k, "utterances": UNITS[k], "segments": ranges(k, 1, True)} for k in UNITS],
    "positions": lambda: [{"doc_id": k, "num_sentences": len(UNITS[k]), "boundary_indices": CUTS[k]} for k in UNITS],
    "positions and texts": lambda: [{"doc_id": k, "sentences": UNITS[k], "boundary_indices": CUTS[k]} for k in UNITS],
    "positions beside turns": lambda: [
        {"doc_id": k, "turns": [{"text": t} for t in UNITS[k]], "cuts": CUTS[k]} for k in UNITS
    ],
    "labels beside turns": lambda: [
        {"doc_id": k, "turns": [{"text": t} for t in UNITS[k]], "labels": LABELS[k]} for k in UNITS
    ],
    "segment lengths": lambda: [{"doc_id": k, "segment_lengths": MASSES[k]} for k in UNITS],
    "one record per unit": per_unit,
    "columns": lambda: {key: [row[key] for row in per_unit()] for key in per_unit()[0]},
    "columns by row": lambda: {key: {str(n): row[key] for n, row in enumerate(per_unit())} for key in per_unit()[0]},
    "split frame": lambda: {
        "columns": list(per_unit()[0]),
        "index": [0],
        "data": [list(row.values()) for row in per_unit()],
    },
    "a list in an object": lambda: {
        "version": "1",
        "data": [{"id": k, "utterances": UNITS[k], "labels": LABELS[k]} for k in UNITS],
    },
    "data inside": lambda: [{"id": k, "data": {"utterances": UNITS[k], "topics": LABELS[k]}} for k in UNITS],
    "predictions": lambda: [{"dial_id": k, "pred": LABELS[k]} for k in UNITS],
    "an annotator each": lambda: [
        {"id": k, "annotator": "anna", "labels": LABELS[k], "utterances": UNITS[k]} for k in UNITS
    ],
}


@pytest.mark.parametrize("kind", ["json", "jsonl"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.filterwarnings("ignore:.*as the name says")
def test_every_layout_gives_the_same_boundaries(tmp_path, shape, kind):
    content = SHAPES[shape]()
    if kind == "jsonl" and not isinstance(content, list):
        pytest.skip("one object is no lines")
    path = tmp_path / f"x.{kind}"
    text = "".join(json.dumps(row) + "\n" for row in content) if kind == "jsonl" else json.dumps(content, indent=1)
    path.write_text(text)
    corpus = load(path)
    assert [d.id for d in corpus] == ["a", "b"]
    for document in corpus:
        found = document.segmentation or document.annotations["anna"]
        assert found.masses == MASSES[document.id]
        assert document.units is None or list(document.units) == UNITS[document.id]


def frame_rows() -> list[dict[str, Any]]:
    return [
        {"call": row["dialogue_id"], "said": row["text"], "part": row["topic"], "n": row["turn_id"]}
        for row in per_unit()
    ]


COLUMNS = "doc=call,text=said,label=part,order=n"


def same(corpus: Any) -> None:
    assert {d.id: d.segmentation.masses for d in corpus} == MASSES
    assert {d.id: list(d.units) for d in corpus} == UNITS


@pytest.mark.parametrize("kind", ["csv", "tsv", "json", "jsonl", "parquet", "feather", "xlsx"])
def test_one_mapping_serves_every_file(tmp_path, kind):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(frame_rows())
    path = tmp_path / f"x.{kind}"
    if kind in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    elif kind in ("json", "jsonl"):
        frame.to_json(path, orient="records", lines=kind == "jsonl")
    elif kind == "xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(path, index=False)
    else:
        pytest.importorskip("pyarrow")
        frame.to_parquet(path) if kind == "parquet" else frame.to_feather(path)
    same(load(path, columns=COLUMNS))
    with pytest.raises(FormatError, match=r"call.*said.*--columns .*for this file alone: \".*x\.") as caught:
        load(path)
    assert f"x.{kind}::" in str(caught.value)


def test_one_mapping_serves_frames_tables_and_rows():
    frame = pytest.importorskip("pandas").DataFrame(frame_rows())
    polars = pytest.importorskip("polars").DataFrame(frame_rows())
    arrow = pytest.importorskip("pyarrow").Table.from_pylist(frame_rows())
    gold = {key: Segmentation.from_masses(masses) for key, masses in MASSES.items()}
    for value in (frame, polars, arrow, frame_rows(), iter(frame_rows())):
        found = evaluate(value, gold, "Pk", columns=COLUMNS)
        assert found.scores["hypothesis"]["Pk"] == 0
    rows = [{"dialogue_id": k, "utterances": UNITS[k], "labels": LABELS[k]} for k in UNITS]
    assert evaluate(rows, gold, "Pk").scores["hypothesis"]["Pk"] == 0
    assert (
        evaluate(frame, [{"id": k, "masses": list(MASSES[k])} for k in UNITS], "Pk", columns=COLUMNS).scores[
            "hypothesis"
        ]["Pk"]
        == 0
    )
    with pytest.raises(FormatError, match=r"row 1 of reference: .*call, said, part, n"):
        evaluate([{"call": "a", "said": "hello", "part": "p", "n": 1}] * 2, gold, "Pk")


def test_a_frame_with_missing_values_and_floats(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(per_unit())
    frame["turn_id"] = frame["turn_id"].astype(float)
    frame["topic"] = frame["topic"].astype(float)
    same(load_frame(frame))


def load_frame(frame: Any) -> Any:
    return read_source(frame, "x").corpus


@pytest.mark.parametrize("spelling", [json.dumps, str])
def test_lists_in_the_cells_of_a_table(tmp_path, spelling):
    pandas = pytest.importorskip("pandas")
    rows = [{"dial_id": k, "utterances": spelling(UNITS[k]), "labels": spelling(LABELS[k])} for k in UNITS]
    pandas.DataFrame(rows).to_csv(tmp_path / "x.csv", index=False)
    same(load(tmp_path / "x.csv"))


def test_numpy_lists_in_the_cells_of_a_table(tmp_path):
    text = "".join(f"{k},{len(UNITS[k])},[{' '.join(map(str, LABELS[k]))}]\n" for k in UNITS)
    (tmp_path / "x.csv").write_text(f"dial_id,n_turns,labels\n{text}")
    assert {d.id: d.segmentation.masses for d in load(tmp_path / "x.csv")} == MASSES


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([{"id": "a", "foo": [1, 2]}], r"x\.json:1: no key is known .*the keys are id, foo\[\]"),
        (
            [{"dlg": "a", "talk": [{"w": "hi"}]}],
            r"to hold labels or boundaries; the keys are dlg, talk\[\]\.w; .*records\(columns='label=",
        ),
        (
            [{"id": "a", "utterances": ["x", "y"], "labels": [1]}],
            r":1: the lists of one document differ in length \(utterances has 2, labels has 1\)",
        ),
        (
            [{"id": "a", "segments": [{"start": 0, "end": 3}, {"start": 7, "end": 9}]}],
            r":1: the ranges of segments do not follow each other, such as 0 to 3, 7 to 9",
        ),
        (
            [{"id": "a", "boundary_indices": [3]}],
            r":1: 'boundary_indices' holds positions, and nothing says how many units.*--columns n_units=",
        ),
        (
            {"a": [3, 5, 9], "b": [2, 4]},
            r"document 'a' has \[3, 5, 9\], which may be the lengths of its segments \(masses 3-5-9\) or the positions",
        ),
        ([{"id": "a", "n_units": 5, "boundary_indices": [True]}], r"it must hold whole numbers"),
        (
            [{"id": "a", "utterances": ["x", "y"], "segment_lengths": [3]}],
            r"the segments have 3 units, but 'utterances' has 2",
        ),
        ([{"id": "a", "p": [{"x": 1}], "q": [{"y": 1}]}], r"the lists 'p' and 'q' both hold objects"),
        ({"1": [["a", "-1"], ["b", "1"]]}, r"document '1' holds pairs such as \['a', '-1'\].*write objects"),
        ([{"name": "a", "stuff": [1, 2]}], r"the keys are name, stuff\[\]; name it with --columns label=NAME"),
        (
            [{"id": "a", "turns": [{"text": "x"}, {"text": "y"}], "labels": [1]}],
            r"differ in length \(labels has 1, units has 2\)",
        ),
        ([{"id": "a", "text": "One. Two."}], "has a text that is not split; .*::text"),
        ([1, {"id": "a"}], "does not look like"),
        ({}, "without a record|no list of chapters"),
    ],
)
def test_what_cannot_be_read_names_its_keys(tmp_path, content, message):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(content))
    with pytest.raises(FormatError, match=message):
        load(path)


def test_flags_of_records_are_asked_about_with_both_readings(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps({k: STARTS[k] for k in UNITS}))
    with pytest.raises(
        FormatError,
        match=r"\(3 segments: 1-2-3, marks='last'\), on the first \(3 segments: 2-3-1, marks='first'\).*x\.json::records\(marks=",
    ):
        load(path)
    assert {d.id: d.segmentation.masses for d in load(path, marks="first")} == MASSES


def test_segments_of_texts_are_located_in_the_reference(tmp_path):
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps([{"dialogue_id": k, "utterances": UNITS[k], "labels": LABELS[k]} for k in UNITS]))
    llm = tmp_path / "llm.json"
    llm.write_text(
        json.dumps(
            [{"dialogue_id": k, "segments": [{"title": "t", "text": " ".join(s)} for s in segments(k)]} for k in UNITS]
        )
    )
    assert evaluate(gold, llm, "Pk").scores["llm"]["Pk"] == 0


def test_documents_of_two_segments_are_not_taken_for_flags(tmp_path):
    path = tmp_path / "x.json"
    for content in (
        {"a": [["One.", "Two."], ["Three."]]},
        [{"id": "a", "sentences": ["One.", "Two.", "Three."], "boundary_indices": [2]}],
        [
            {
                "id": "a",
                "segments": [{"start": 0, "end": 2}, {"start": 2, "end": 3}],
                "sentences": ["One.", "Two.", "3."],
            }
        ],
    ):
        path.write_text(json.dumps(content))
        assert [d.segmentation.masses for d in load(path)] == [(2, 1)]


def test_other_values_of_a_document_are_kept(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        "".join(json.dumps({"id": k, "genre": "talk", "turns": turns(k, topic=LABELS[k])}) + "\n" for k in UNITS)
    )
    assert [d.extra["genre"] for d in load(path)] == ["talk", "talk"]


def test_names_by_hand_and_nested_names(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps([{"k": k, "t": [{"u": u, "s": s} for u, s in zip(UNITS[k], LABELS[k], strict=True)]} for k in UNITS])
    )
    same(load(path, columns="doc=k,text=t[].u,label=t[].s"))
    same(load(f"{path}::records(columns='doc=k,text=t.u,label=t.s')"))


def test_a_list_under_the_name_of_a_document_is_called_value(tmp_path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(MASSES))
    with pytest.raises(
        FormatError, match=r"lengths of its segments \(masses 2-3-1\).*::records\(columns='masses=value'\)"
    ):
        load(path)
    assert {d.id: d.segmentation.masses for d in load(path, columns="masses=value")} == MASSES
    assert {d.id: d.n_units for d in load(path, columns="label=value")} == {"a": 3, "b": 2}
    with pytest.raises(FormatError, match="is called value"):
        load(path, columns="annotators=value")


def test_one_document_under_its_name_keeps_it_and_unknown_lists_are_named(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"talk": {"sentences": ["p", "q", "r"], "segment_starts": [0, 2]}}))
    with pytest.warns(CaesuraWarning, match="no boundaries are read; lists that nothing is known of: segment_starts"):
        (document,) = load(path)
    assert (document.id, document.units, document.segmentation) == ("talk", ("p", "q", "r"), None)
    with pytest.raises(FormatError, match="lists that nothing is known of"):
        load(path, strict=True)
    path.write_text(json.dumps({"train": {"doc": ["a", "a"], "text": ["p", "q"], "label": ["x", "y"]}}))
    (document,) = load(path)
    assert (document.id, document.units) == ("a", ("p", "q"))


def test_regions_in_a_cell_are_no_units(tmp_path):
    path = tmp_path / "a.csv"
    regions = json.dumps([{"start": 0, "end": 1, "labels": ["T"]}]).replace('"', '""')
    path.write_text(f'id,text,label,annotator\n1,"a b","{regions}",1\n')
    with pytest.raises(FormatError, match="a cell holds the regions of an annotation tool; export the project as JSON"):
        load(path)


def test_a_value_that_only_python_writes_is_named(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"id": 1,\n"text": "a", "label": NaN}]')
    with pytest.raises(FormatError, match=r"a\.json:2: is not valid JSON: NaN is not allowed; omit the value"):
        load(path)
