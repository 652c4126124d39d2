"""What chunkers write: every spelling, every fault."""

from __future__ import annotations

import json

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, CaesuraWarning, ComparabilityError, FormatError
from caesura.formats import FORMATS, detect, load, save
from caesura.units.projection import project_corpus

TEXT = "One here. Two here.\nThree is here."
SPANS = [[0, 9], [10, 34]]
WORDS = ["One here.", "Two here.\nThree is here."]
DOCS = Corpus(
    [
        Document(
            id="d", n_units=3, units=("One here.", "Two here.", "Three is here."), unit="sentence", extra={"text": TEXT}
        )
    ]
)


def written(path, value):
    text = value if isinstance(value, str) else json.dumps(value)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "value",
    [
        {"id": "d", "chunks": WORDS},
        {"doc_id": "d", "chunks": WORDS, "text": TEXT},
        {"id": "d", "chunks": [{"text": w, "start_index": a, "end_index": b} for w, (a, b) in zip(WORDS, SPANS, strict=True)]},
        {"id": "d", "chunks": [{"start": a, "end": b} for a, b in SPANS]},
        {"id": "d", "chunks": [{"page_content": w, "metadata": {"start_index": a}} for w, (a, _) in zip(WORDS, SPANS, strict=True)]},
        [{"text": w, "start_char_idx": a, "end_char_idx": b} for w, (a, b) in zip(WORDS, SPANS, strict=True)],
        [{"text": w, "start": a, "end": b, "token_count": 3} for w, (a, b) in zip(WORDS, SPANS, strict=True)],
        WORDS,
        [{"id": "d", "chunks": WORDS}],
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["d.json", "d.jsonl"])
def test_every_spelling_is_the_same_chunks(tmp_path, value, name):
    path = written(tmp_path / name, value)
    if name == "d.json" or isinstance(value, dict):
        assert detect(path).name() == "chunks"
    corpus = load(path, "chunks")
    assert (corpus.ids, corpus.unit) == (["d"], "character")
    made, costs = project_corpus(corpus, "units", units_of=DOCS)
    assert made["d"].segmentation.boundaries == (1,)
    assert made["d"].unit == "sentence"
    assert costs[0].alignment.spans == ((0, 9), (10, 34))
    assert costs[0].max_displacement == 0


def test_many_documents_a_file(tmp_path):
    lines = [json.dumps({"id": key, "chunks": WORDS, "text": TEXT}) for key in ("a", "b")]
    corpus = load(written(tmp_path / "c.jsonl", "\n".join(lines)))
    assert corpus.ids == ["a", "b"]
    assert corpus["b"].segmentation.boundaries == (10,)
    assert corpus["b"].n_units == len(TEXT)


def test_what_does_not_tile_is_said_once(tmp_path):
    path = written(
        tmp_path / "c.json", {"id": "a", "text": TEXT, "chunks": ["One here.", "here. Two", "Three is here.", ""]}
    )
    with pytest.warns(
        CaesuraWarning, match=r"1 chunk overlaps .* by 5 char.*; 5 characters in 1 place .*; 1 chunk without text"
    ):
        corpus = load(path)
    assert corpus["a"].extra["chunk_spans"] == [[0, 9], [4, 13], [20, 34]]
    with pytest.raises(FormatError, match="overlap"):
        load(path, strict=True)


def test_chunks_without_a_place_are_not_compared_but_kept(tmp_path):
    corpus = load(written(tmp_path / "c.jsonl", {"id": "d", "chunks": WORDS}))
    assert corpus["d"].segmentation is None
    save(corpus, tmp_path / "kept.jsonl")
    again = load(tmp_path / "kept.jsonl")
    made, _ = project_corpus(again, "units", units_of=DOCS)
    assert made["d"].segmentation.boundaries == (1,)
    no_texts = Corpus([Document(id="d", n_units=3)])
    with pytest.raises(ComparabilityError, match="document 'd': projecting chunks onto units requires the texts"):
        project_corpus(corpus, "units", units_of=no_texts)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"id": "d", "chunks": []}, "c.json:1: document 'd': 'chunks' is empty; give at least one chunk"),
        ({"id": "d", "chunks": "abc"}, "c.json:1: document 'd': 'chunks' is not a list; write the chunks as"),
        ('[\n{"id": "d", "chunks": ["x"]},\n{"id": "e", "chunks": []}\n]', "c.json:3: document 'e': 'chunks' is empty"),
        ({"id": "d", "chunks": [3]}, "chunk 1 is neither a string nor an object"),
        ({"id": "d", "chunks": [{"text": 3}]}, "the text of chunk 1 is not a string"),
        ({"id": "d", "chunks": [{"start": 0, "end": 2}, {"text": "x"}]}, "some chunks have no text and some no offsets"),
        ({"id": "d", "chunks": [{"start": 4, "end": 2}]}, "chunk 1 spans 4 to 2"),
        ({"id": "d", "chunks": [{"start": 0, "end": 10**30}]}, "at most"),
        ({"id": "d", "chunks": [{"start": 0.5, "end": 2}]}, "the start of chunk 1 is 0.5"),
        ({"id": "d", "chunks": [{"start": True, "end": 2}]}, "the start of chunk 1 is True"),
        ({"id": "d", "chunks": [{"end": 2}]}, "the start of chunk 1 is None"),
        ({"id": "d", "chunks": ["x"], "text": 7}, "the text of the document is not a string"),
        ({"id": "d", "chunks": ["x"], "text": TEXT}, "document 'd': chunk 1 ('x') is not in the text"),
        ({"id": None, "chunks": ["x"]}, "the id of the document must be a string"),
        ({"id": "d", "chunks": [{"text": "Zwei", "start": 0, "end": 3}], "text": TEXT}, "chunk 1 ('Zwei') is not in the text"),
        ('{"id": "d", "chunks": ["x"]}\n{"id": "d", "chunks": ["x"]}\n', "document 'd' appears twice"),
        ('{"id": "d", "chunks": ["x"]}\n{"id": "e", "chunks": ["x"\n', "c.json:2: the JSON of the line is truncated"),
        ('{"id": "d", "chunks": ["x"]}\n7\n', "c.json:2: is not a record"),
        ('{"id": "d", "chunks": ["x"]}\n{"id": "e"}\n', "c.json:2: has neither 'chunks' nor a chunk's 'text'"),
        ("[]", "c.json:1: document '1': 'chunks' is empty"),
        ("7", "is not a record"),
    ],
)  # fmt: skip
def test_faults_are_one_line(tmp_path, value, words):
    with pytest.raises(CaesuraError) as caught:
        load(written(tmp_path / "c.json", value), "chunks")
    assert words in str(caught.value)
    assert "c.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_offsets_that_do_not_fit_the_documents(tmp_path):
    path = written(tmp_path / "c.jsonl", {"id": "d", "chunks": [{"text": "Two", "start": 1, "end": 4}]})
    _, (cost,) = project_corpus(load(path), "units", units_of=DOCS)
    assert (cost.alignment.spans, cost.alignment.misplaced) == (((10, 13),), 1)
    path = written(tmp_path / "c.jsonl", {"id": "d", "chunks": [{"text": "Zwei", "start": 1, "end": 5}]})
    with pytest.raises(ComparabilityError, match=r"c\.jsonl: document 'd': chunk 1 \('Zwei'\) is not in the text"):
        project_corpus(load(path), "units", units_of=DOCS)
    path = written(tmp_path / "c.jsonl", {"id": "d", "chunks": [{"start": 0, "end": 99}]})
    with pytest.raises(ComparabilityError, match="but the text has 34 characters"):
        project_corpus(load(path), "units", units_of=DOCS)


def test_documents_whose_units_are_no_pieces_of_their_text(tmp_path):
    wrong = Corpus([Document(id="d", n_units=1, units=("Nowhere.",), extra={"text": TEXT})])
    corpus = load(written(tmp_path / "c.jsonl", {"id": "d", "chunks": WORDS}))
    with pytest.raises(ComparabilityError, match=r"^document 'd': its units are not pieces of its 'text'"):
        project_corpus(corpus, "units", units_of=wrong)
    with pytest.raises(ComparabilityError, match=r"^document 'd': its units are not pieces of its 'text'"):
        project_corpus(wrong, "character")


def test_a_fault_names_file_and_document_once(tmp_path):
    path = written(tmp_path / "c.jsonl", {"id": "d", "chunks": ["One here.", "nowhere"]})
    with pytest.raises(ComparabilityError) as caught:
        project_corpus(load(path), "units", units_of=DOCS)
    assert str(caught.value).startswith(f"{path}: document 'd': chunk 2 ('nowhere') is not in the text after")
    path = written(tmp_path / "c.jsonl", {"id": "e", "chunks": WORDS})
    with pytest.raises(ComparabilityError, match=r"c\.jsonl: document 'e': is not in .*; check the ids"):
        project_corpus(load(path), "units", units_of=DOCS)


ONE_A_LINE = [
    [{"doc_id": "d", "text": w} for w in WORDS],
    [{"id": "d", "text": w} for w in WORDS],
    [{"id": f"chunk-{n}", "document_id": "d", "content": w} for n, w in enumerate(WORDS)],
    [{"doc_id": "d", "text": w, "start_index": a, "end_index": b} for w, (a, b) in zip(WORDS, SPANS, strict=True)],
    [{"id": f"chnk_{n}", "text": WORDS[n], "start_index": SPANS[n][0], "end_index": SPANS[n][1]} for n in (0, 1)],
    [{"id": None, "page_content": w, "metadata": {"source": "x/y.txt", "start_index": a}} for w, (a, _) in zip(WORDS, SPANS, strict=True)],
    [{"page_content": w, "metadata": {"doc_id": "d"}} for w in WORDS],
]  # fmt: skip


@pytest.mark.parametrize("value", ONE_A_LINE)
@pytest.mark.parametrize("as_list", [False, True])
def test_one_chunk_a_record_is_the_same_chunks(tmp_path, value, as_list):
    text = json.dumps(value) if as_list else "\n".join(json.dumps(record) for record in value) + "\n"
    path = written(tmp_path / "d.json", text)
    if not as_list or value is not ONE_A_LINE[1]:  # a list of texts with ids might be anything
        assert detect(path).name() == "chunks"
    made, costs = project_corpus(load(path, "chunks"), "units", units_of=DOCS)
    assert made["d"].segmentation.boundaries == (1,)
    assert costs[0].alignment.spans == ((0, 9), (10, 34))


def test_single_chunks_of_several_documents(tmp_path):
    rows = [("b", "One"), ("a", "Two"), ("b", "here."), ("a", "here.")]
    text = "\n".join(json.dumps({"doc_id": key, "text": word}) for key, word in rows)
    corpus = load(written(tmp_path / "c.jsonl", text), "chunks")
    assert corpus.ids == ["b", "a"]
    assert [document.extra["chunks"] for document in corpus] == [["One", "here."], ["Two", "here."]]
    assert corpus.ids_are_given
    text = "\n".join(json.dumps({"id": key, "text": "One", "start": 0, "end": 3}) for key in "ab")
    assert load(written(tmp_path / "c.jsonl", text), "chunks").ids == ["a", "b"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([{"id": "a", "text": "x"}, {"id": "b", "text": "y"}], "c.json:2: every chunk has its own id, such as 'b'; name"),
        ([{"doc_id": "a", "text": "x"}, {"text": "y"}], "c.json:2: the chunk does not name its document"),
        ([{"doc_id": "a", "text": "x"}, {"id": "b", "chunks": ["y"]}], "c.json:2: some records are single chunks and others lists"),
        ([{"id": "b", "chunks": ["y"]}, {"doc_id": "a", "text": "x"}], "c.json:2: some records are single chunks and others lists"),
        ([{"page_content": "x", "metadata": {"source": "a"}}, {"page_content": "x"}], "c.json:2: the chunk does not name its"),
        ([{"doc_id": "a", "text": "x"}, {"doc_id": "a", "units": ["y"]}], "c.json:2: has neither 'chunks' nor a chunk's"),
        ([{"doc_id": [], "text": "x"}], "c.json:1: the id of the document must be a string"),
        ([{"doc_id": "a", "text": 3}], "c.json:1: document 'a': the text of chunk 1 is not a string"),
    ],
)  # fmt: skip
def test_single_chunks_that_do_not_say_whose(tmp_path, lines, words):
    with pytest.raises(FormatError) as caught:
        load(written(tmp_path / "c.json", "\n".join(map(json.dumps, lines))), "chunks")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "record",
    [
        {"id": "a", "text": "A document of its own."},
        {"id": "a", "text": "x", "label": [[0, 1, "s"]]},
        {"text": "x", "segments": [{"start": 0, "end": 1, "text": "x"}]},
        {"doc_id": "a", "text": "x", "n_units": 3, "boundaries": []},
        {"doc_id": "a", "text": "x", "units": ["x"]},
    ],
)
def test_what_is_no_chunk_is_not_taken_for_one(tmp_path, record):
    lines = "\n".join(json.dumps({**record, "id": name}) for name in "ab").encode()
    assert not FORMATS.parse("chunks").sniff(lines, tmp_path / "x.jsonl")


@pytest.mark.parametrize(
    "lines",
    [
        [
            '{"page_content": "One two. ", "metadata": {"doc_id": "d"}}',
            '{"page_content": "Three.", "metadata": {"doc_id": "d"}}',
        ],
        ['{"doc_id": "d", "text": "One two. "}', '{"doc_id": "d", "text": "Three."}'],
        ['{"id": "d", "text": "One two. "}', '{"id": "d", "text": "Three."}'],
    ],
)
def test_one_chunk_a_line_is_detected(tmp_path, lines):
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join(lines) + "\n")
    assert len(load(path)) == 1


def test_an_object_of_lists_names_its_documents(tmp_path):
    path = tmp_path / "chunks.json"
    path.write_text(json.dumps({"a": ["First chunk.", "Second chunk."], "b": ["All of it."]}, indent=1))
    assert detect(path).name() == "chunks"
    corpus = load(path)
    assert {d.id: d.extra["chunks"] for d in corpus} == {"a": ["First chunk.", "Second chunk."], "b": ["All of it."]}
    assert corpus.ids_are_given
    path.write_text(json.dumps({"a": ["First chunk."], "b": []}, indent=1))
    with pytest.raises(FormatError, match=r"chunks\.json:5: document 'b': 'chunks' is empty"):
        load(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'[{"page_content": "a", "metadata": {}},\n {"page_content": "b', "x.json:2: the JSON is truncated; write"),
        (b'[{"page_content": "a\xe9", "metadata": {}}]', "x.json:1: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        (b'{"doc_id": "a", "text": "\xe9"}\n', "x.json:1: byte 0xe9 at position 26 is not UTF-8; save"),
    ],
)
def test_files_that_are_no_json_say_how(tmp_path, data, words):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        load(path, "chunks")
    assert words in str(caught.value)
