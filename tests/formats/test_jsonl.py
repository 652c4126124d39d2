# SPDX-License-Identifier: Apache-2.0
"""The own format: every key, and every fault with its words."""

from __future__ import annotations

import gzip
import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from caesura.corpus import Corpus, Document, Packed
from caesura.errors import CaesuraWarning, ComparabilityError, FormatError, MissingExtraError
from caesura.formats import _jsonl_lean, from_records, load, save
from caesura.segmentation import Segmentation

GOOD = '{"id": "d1", "n_units": 13, "boundaries": [6, 9]}'


def write(folder: Path, content: str | bytes, name: str = "gold.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "d1", "masses": [6, 3, 4]}',
        '{"id": "d1", "n_units": 13, "boundaries": [6, 9]}',
        '{"id": "d1", "units": ["u", "u", "u", "u", "u", "u", "v", "v", "v", "w", "w", "w", "w"], "boundaries": [6, 9]}',
        '{"id": "d1", "labels": [0, 0, 0, 0, 0, 0, "x", "x", "x", null, null, null, null]}',
        '{"id": "d1", "labels": [300, 300, 300, 300, 300, 300, 301, 301, 301, 300, 300, 300, 300]}',
        '{"id": "d1", "n_units": 13, "masses": [6, 3, 4], "boundaries": [6, 9]}',
    ],
)
def test_every_spelling_says_the_same(tmp_path: Path, line: str) -> None:
    corpus = load(write(tmp_path, line))
    assert corpus["d1"].segmentation == Segmentation(13, (6, 9))


def test_all_keys(tmp_path: Path) -> None:
    line = {
        "id": 7,
        "unit": "turn",
        "units": ["a", "b", "c"],
        "boundaries": [1],
        "speakers": ["x", "y", "x"],
        "unit_times": [[0, 1], [1.5, 2], [2, 3]],
        "annotations": {"an1": [1], "an2": []},
        "scores": [0.5, -1],
        "hierarchy": [[1], [1, 2]],
        "segment_titles": ["one", "two"],
    }
    (document,) = load(write(tmp_path, json.dumps(line)))
    assert document == Document(
        id="7",
        n_units=3,
        unit="turn",
        segmentation=Segmentation(3, (1,), unit="turn"),
        units=("a", "b", "c"),
        speakers=("x", "y", "x"),
        unit_times=((0, 1), (1.5, 2), (2, 3)),
        annotations={"an1": Segmentation(3, (1,), unit="turn"), "an2": Segmentation(3, unit="turn")},
        scores=(0.5, -1),
        hierarchy=(Segmentation(3, (1,), unit="turn"), Segmentation(3, (1, 2), unit="turn")),
        extra={"segment_titles": ["one", "two"]},
    )


def test_a_document_may_have_no_segmentation(tmp_path: Path) -> None:
    corpus = load(write(tmp_path, '{"id": "d1", "units": ["a", "b"]}\n{"id": "d2", "n_units": 2, "boundaries": []}\n'))
    assert corpus["d1"].segmentation is None
    assert corpus["d2"].segmentation == Segmentation(2)
    assert corpus.present.tolist() == [False, True]


def test_true_is_another_label_than_one(tmp_path: Path) -> None:
    corpus = load(write(tmp_path, '{"id": "d1", "labels": [1, true, 1.0]}'), "jsonl(marks='topics')")
    assert corpus["d1"].segmentation == Segmentation(3, (1, 2))


def test_blank_lines_marks_and_line_ends(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf" + f"{GOOD}\r\n\r\n  \n{GOOD.replace('d1', 'd2')}\n\n\n".encode()
    assert load(write(tmp_path, content)).ids == ["d1", "d2"]


def test_units_of_lean_and_full_lines(tmp_path: Path) -> None:
    lean = load(write(tmp_path, '{"id": "a", "n_units": 2000, "boundaries": [5], "unit": "ms"}'))
    assert lean.unit == "ms"
    with pytest.raises(ComparabilityError, match="document 'b' counts 'unit', but earlier documents count 'ms'"):
        load(
            write(
                tmp_path,
                '{"id": "a", "n_units": 9, "boundaries": [5], "unit": "ms"}\n{"id": "b", "n_units": 9, "boundaries": []}',
            )
        )


FAULTS = {
    "truncated": ('{"id": "d2", "n_units": 13, "bound', "the JSON of the line is truncated"),
    "no object": ("[1, 2]", "the line is a list; it must be an object"),
    "words": ("hello there", "is not a JSON object: it begins with 'hello there'; JSONL has one {...} per line"),
    "comma": ('{"id": "d2",, "n_units": 3}', r"is not valid JSON \(expecting property name .* at column 13\)"),
    "NaN": ('{"id": "d2", "n_units": 3, "scores": [NaN, 1]}', "NaN is not allowed"),
    "no id": ('{"n_units": 3, "boundaries": [1]}', 'has no "id"; every document needs a unique one'),
    "misspelt": ('{"id": "d2", "massses": [6, 3, 4]}', 'unknown key "massses"; write "masses"'),
    "misspelt 2": ('{"id": "d2", "n_units": 13, "boundries": [6]}', 'unknown key "boundries"; write "boundaries"'),
    "singular": ('{"id": "d2", "n_units": 13, "boundary": [6]}', 'unknown key "boundary"; write "boundaries"'),
    "case": ('{"id": "d2", "nUnits": 13, "boundaries": [6]}', 'unknown key "nUnits"; write "n_units"'),
    "float mass": (
        '{"id": "d2", "masses": [6, 3.5]}',
        r"masses\[1\] is a number with a fraction; it must be an integer",
    ),
    "whole float": (
        '{"id": "d2", "masses": [6.0, 3]}',
        r"masses\[0\] is a number with a fraction; it must be an integer",
    ),
    "text mass": ('{"id": "d2", "masses": ["6"]}', r"masses\[0\] is a string; it must be an integer"),
    "true": (
        '{"id": "d2", "n_units": 3, "boundaries": [true]}',
        r"boundaries\[0\] is true or false; it must be an integer",
    ),
    "null": ('{"id": "d2", "n_units": 3, "boundaries": null}', "boundaries is null; it must be a list"),
    "unsorted": ('{"id": "d2", "n_units": 13, "boundaries": [9, 6]}', "document 'd2': boundary 6 comes after 9"),
    "twice": ('{"id": "d2", "n_units": 13, "boundaries": [6, 6]}', "document 'd2': boundary 6 is given twice"),
    "end": (
        '{"id": "d2", "n_units": 13, "boundaries": [13]}',
        r"boundary 13 is out of range 1\.\.12 for 13 units; the end",
    ),
    "zero": ('{"id": "d2", "n_units": 13, "boundaries": [0]}', r"document 'd2': boundary 0 is out of range 1\.\.12"),
    "no unit": ('{"id": "d2", "n_units": 0, "boundaries": []}', "n_units is 0; a document has at least one unit"),
    "no units": ('{"id": "d2", "units": [], "boundaries": []}', "n_units is 0; a document has at least one unit"),
    "no mass": ('{"id": "d2", "masses": []}', "no masses given"),
    "zero mass": ('{"id": "d2", "masses": [3, 0]}', "mass 2 is 0; every segment has at least one unit"),
    "huge": ('{"id": "d2", "n_units": 99999999999999999999999, "boundaries": []}', "a document has at most"),
    "huge gap": ('{"id": "d2", "n_units": 5, "boundaries": [99999999999999999999999]}', "is out of range"),
    "huge masses": ('{"id": "d2", "masses": [4611686018427387904, 4611686018427387904]}', "the masses add up to"),
    "text alone": ('{"id": "d2", "text": "One. Two."}', "has a text that is not split; give its units as a list"),
    "no length": ('{"id": "d2", "boundaries": [3]}', "has no length; give n_units, units, masses or labels"),
    "lengths": (
        '{"id": "d2", "units": ["a"], "n_units": 2}',
        "units gives 1 units, but n_units gives 2; they must agree",
    ),
    "disagree": (
        '{"id": "d2", "masses": [1, 2], "boundaries": [2]}',
        "masses and boundaries give different boundaries",
    ),
    "speakers": (
        '{"id": "d2", "n_units": 2, "speakers": ["x"]}',
        "speakers has 1 entries; it must have 2, one per unit",
    ),
    "scores": ('{"id": "d2", "n_units": 2, "scores": [1, 2]}', "scores has 2 entries; it must have 1, one per gap"),
    "times": ('{"id": "d2", "n_units": 1, "unit_times": [[2, 1]]}', r"unit_times\[0\] is \[2.0, 1.0\]; it must be"),
    "annotator": (
        '{"id": "d2", "n_units": 2, "annotations": {"an1": [2]}}',
        "annotator 'an1': boundary 2 is out of range",
    ),
    "hierarchy": (
        '{"id": "d2", "n_units": 4, "hierarchy": [[1], [2]]}',
        "boundary 1 of level 1 of hierarchy is not in level 2",
    ),
    "two a line": (GOOD.replace("d1", "d2") + " " + GOOD.replace("d1", "d3"), "is not valid JSON"),
    "deep": ('{"id": "d2", "n_units": 1, "x": ' + "[" * 9999 + "]" * 9999 + "}", "nested too deeply"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("before", ["lean", "full"])
def test_faults_name_file_and_line(tmp_path: Path, fault: str, before: str) -> None:
    line, words = FAULTS[fault]
    first = GOOD if before == "lean" else '{"id": "d1", "units": ["a", "b"], "boundaries": [1]}'
    path = write(tmp_path, f"{first}\n\n{line}\n")
    with pytest.raises(FormatError, match=words) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert (caught.value.path, caught.value.line) == (str(path), 3)
    assert "\n" not in str(caught.value)


def test_a_late_fault_of_a_long_lean_file_names_its_line(tmp_path: Path) -> None:
    lines = [f'{{"id": "d{i}", "n_units": 99, "boundaries": [3, 50]}}' for i in range(5000)]
    lines[1234] = ""
    for fault in ('{"id": "x", "n_units": 5, "boundaries": [5]}', '{"id": "x", "n_units": 5, "boundaries": [1.5]}'):
        lines[4321] = fault
        with pytest.raises(FormatError, match=r"gold\.jsonl:4322: "):
            load(write(tmp_path, "\n".join(lines)))
    lines[4321] = lines[17]
    with pytest.raises(
        ComparabilityError, match=r"gold\.jsonl:4322: document 'd17' appears twice, first on line 18; ids"
    ):
        load(write(tmp_path, "\n".join(lines)))


def test_ids_of_many_documents_are_those_of_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = ['"d1"', '"d-ä"', "7", '"\\u00e9"', '""', '"d2"']
    lines = [f'{{"id": {key}, "n_units": 9, "boundaries": [3]}}' for key in keys]
    few = load(path := write(tmp_path, "\n".join(lines)))
    monkeypatch.setattr(_jsonl_lean, "_MANY", 0)
    monkeypatch.setattr(_jsonl_lean.blocks, "__defaults__", (50,))  # plain blocks and others
    many = load(path)
    assert (type(few.ids), type(many.ids)) == (list, Packed)
    assert many.ids == few.ids == ["d1", "d-ä", "7", "é", "", "d2"]
    assert many["é"] == few["é"]
    lines.append(lines[3])
    with pytest.raises(ComparabilityError, match=r"gold\.jsonl:7: document 'é' appears twice, first on line 4"):
        load(write(tmp_path, "\n".join(lines)))


def test_one_document_may_stand_on_several_lines(tmp_path: Path) -> None:
    document = {"id": "d1", "n_units": 3, "boundaries": [2]}
    assert load(write(tmp_path, json.dumps(document, indent=1)))["d1"].segmentation == Segmentation(3, (2,))
    with pytest.raises(FormatError, match=r"gold\.jsonl:1: the JSON of the line is truncated"):
        load(write(tmp_path, "\n".join(json.dumps(document, indent=1) for _ in range(2))))


def test_an_id_of_either_kind_stands_once(tmp_path: Path) -> None:
    with pytest.raises(ComparabilityError, match=r":2: document '1' appears twice, first on line 1"):
        load(write(tmp_path, '{"id": 1, "masses": [2]}\n{"id": "1", "masses": [2]}'))
    with pytest.raises(ComparabilityError, match=r":2: document '1' appears twice, first on line 1"):
        load(write(tmp_path, '{"id": 1, "units": ["a"]}\n{"id": "1", "masses": [2]}'))


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_empty_files(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FormatError, match=r"gold\.jsonl: the file is empty; it holds no document"):
        load(write(tmp_path, content))


def test_binary_and_other_encodings(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"gold\.jsonl:1: is a binary file, not JSONL"):
        load(write(tmp_path, bytes(range(256)) * 40))
    with pytest.raises(FormatError, match=r":1: byte 0xe9 at position 12 is not UTF-8; save the file as UTF-8"):
        load(write(tmp_path, '{"id": "caf\xe9", "masses": [3]}'.encode("latin-1")))
    with pytest.raises(FormatError, match=r":2: byte 0xe9 at position 25 is not UTF-8"):
        load(write(tmp_path, b'{"id": "d1", "units": ["a"]}\n{"id": "d2", "units": ["\xe9"]}'))


def test_missing_file_and_bad_compression(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"none\.jsonl: no such file; check the name"):
        load(tmp_path / "none.jsonl")
    with pytest.raises(FormatError, match=r"a\.jsonl\.gz: is not a complete gzip file"):
        load(write(tmp_path, GOOD, "a.jsonl.gz"))
    with pytest.raises(FormatError, match=r"b\.jsonl\.gz: is not a complete gzip file"):
        load(write(tmp_path, gzip.compress(GOOD.encode() * 999)[:-9], "b.jsonl.gz"))


@pytest.mark.skipif(importlib.util.find_spec("zstandard") is not None, reason="zstandard is installed")
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python reads Zstandard itself")
def test_zstandard_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(MissingExtraError, match="caesura-eval\\[zstd\\]"):
        load(write(tmp_path, GOOD, "a.jsonl.zst"))


def test_unknown_keys_are_kept_with_one_warning(tmp_path: Path) -> None:
    lines = [
        json.dumps({"id": f"d{i}", "n_units": 3, "boundaries": [1], "source_index": i, "colour": "red"})
        for i in range(40)
    ]
    path = write(tmp_path, "\n".join(lines))
    with pytest.warns(CaesuraWarning) as caught:
        corpus = load(path)
    assert [str(w.message) for w in caught] == [
        f"{path}: 40 documents carry unknown keys (source_index, colour); kept as extra, for --slice"
    ]
    assert corpus["d7"].extra == {"source_index": 7, "colour": "red"}
    with pytest.raises(
        FormatError, match=r"gold\.jsonl:1: unknown key 'source_index'; remove it, or read without --strict"
    ):
        load(path, strict=True)


@pytest.mark.parametrize(
    "key", ["annotator", "unit_labels", "source_index", "text_available", "uid", "topics", "classes"]
)
def test_other_words_are_no_misspelling(tmp_path: Path, key: str) -> None:
    path = write(tmp_path, json.dumps({"id": "d1", "masses": [3], key: 1}))
    with pytest.warns(CaesuraWarning, match="1 document carries unknown keys"):
        assert load(path)["d1"].extra == {key: 1}


def test_strange_file_names_do_not_break_the_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"new\\nline\\x1b\.jsonl:1: is not valid JSON") as caught:
        load(write(tmp_path, "{]", "new\nline\x1b.jsonl"))
    assert "\n" not in str(caught.value)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    bad = [
        (Document(id="d", n_units=2, scores=(float("nan"),)), "a score is not finite"),
        (Document(id="d", n_units=2, extra={"masses": [2]}), "the extra key 'masses' is or resembles a known key"),
        (Document(id="d", n_units=2, extra={"x": object()}), "cannot be written as JSON"),
        (Document(id="d", n_units=1, units=("\ud800",)), "cannot be written as JSON"),
    ]
    for document, words in bad:
        with pytest.raises(FormatError, match=words):
            save(Corpus([document]), path)
    with pytest.raises(FormatError, match="there is no document to write"):
        save(Corpus([]), path)
    with pytest.raises(FormatError, match=r"cannot be written \(No such file or directory\); check the folder"):
        save(Corpus([Document(id="d", n_units=2)]), tmp_path / "no" / "such" / "a.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_compressed_files_are_reproducible(tmp_path: Path) -> None:
    corpus = load(write(tmp_path, GOOD))
    save(corpus, tmp_path / "a.jsonl.gz")
    save(corpus, tmp_path / "b.jsonl.gz")
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    assert load(tmp_path / "a.jsonl.gz").ids == ["d1"]


def test_loading_jsonl_imports_no_other_format(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    program = (
        "import sys, caesura.formats; caesura.formats.load(sys.argv[1]); "
        "print([m for m in ('caesura.formats.choi', 'caesura.formats.webvtt', 'webvtt', 'pympi', 'csv', 'rich', 'click') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_lean_and_full_readers_agree(tmp_path: Path) -> None:
    lines = [{"id": f"d{i}", "masses": [i + 1, 2, 3]} for i in range(50)]
    lean = load(write(tmp_path, "\n".join(map(json.dumps, lines))))
    full = load(write(tmp_path, "\n".join(json.dumps({**line, "hierarchy": []}) for line in lines)))
    assert [d.segmentation for d in lean] == [d.segmentation for d in full]
    assert lean.ids == full.ids
    mixed = [{"id": "x", "n_units": 4, "boundaries": [2]}, *lines, {"id": "y", "n_units": 5, "masses": [2, 3]}]
    corpus = load(write(tmp_path, "\n".join(map(json.dumps, mixed))))
    assert corpus["x"].segmentation == Segmentation(4, (2,))
    assert corpus["y"].segmentation == Segmentation(5, (2,))


def test_documents_without_ids_are_numbered(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"masses": [2, 2]}\n\n{"masses": [1, 3], "note": 1}\n')
    with pytest.warns(CaesuraWarning, match="note"):
        corpus = load(path)
    assert (list(corpus.ids), corpus.ids_are_given) == (["1", "2"], False)
    assert corpus["2"].segmentation == Segmentation(4, (1,))
    rows = from_records([{"masses": [2, 2]}, {"masses": [1, 3]}])
    assert (list(rows.ids), rows.ids_are_given) == (["1", "2"], False)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (
            '{"masses": [2, 2]}\n{"id": "x", "masses": [1, 3]}',
            'a.jsonl:2: has an "id", but the first document has none',
        ),
        ('{"id": "x", "masses": [1, 3]}\n{"masses": [2, 2]}', 'a.jsonl:2: has no "id"; every document needs'),
        ('{"masses": [2, 2]}\n{"masses": [0, 2]}', "a.jsonl:2: document '2':"),
        ('{"masses": [2, 2]}\n{"masses"', "a.jsonl:2: "),
    ],
)
def test_faults_of_documents_without_ids(tmp_path, lines, fault):
    path = tmp_path / "a.jsonl"
    path.write_text(lines)
    with pytest.raises(FormatError) as caught:
        load(path)
    assert fault in str(caught.value)


def test_a_file_whose_first_block_is_not_plain_is_not_scanned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With numbers for ids the first block is scanned in vain, and no other."""
    if not _jsonl_lean.plain_lines.COMPILED:
        pytest.skip("the scanner is not compiled")
    scanned: list[bool] = []
    scan = _jsonl_lean.LeanDocuments._add_plain

    def counted(self: _jsonl_lean.LeanDocuments, block: bytes) -> int | None:
        ends = scan(self, block)
        scanned.append(ends is not None)
        return ends

    monkeypatch.setattr(_jsonl_lean.LeanDocuments, "_add_plain", counted)
    lines = "".join(f'{{"id": {at}, "n_units": 20, "boundaries": [3, 7]}}\n' for at in range(5000))
    assert len(load(write(tmp_path, lines))) == 5000
    assert len(lines) > 5 * _jsonl_lean.BLOCK
    assert scanned == [False]
