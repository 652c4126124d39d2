"""What chunkers write: every spelling, every fault."""

from __future__ import annotations

import json

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, CaesuraWarning, ComparabilityError, FormatError
from caesura.formats import detect, load, save
from caesura.projection import project_corpus

TEXT = "One here. Two here.\nThree is here."
SPANS = [[0, 9], [10, 34]]
WORDS = ["One here.", "Two here.\nThree is here."]
DOCS = Corpus(
    [
        Document(
            id="d",
            n_units=3,
            units=("One here.", "Two here.", "Three is here."),
            unit="sentence",
            extra={"text": TEXT},
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
        tmp_path / "c.json",
        {"id": "a", "text": TEXT, "chunks": ["One here.", "here. Two", "Three is here.", ""]},
    )
    with pytest.warns(
        CaesuraWarning,
        match=r"1 chunks overlap .* by 5 char.*; 5 characters in 1 places .*; 1 chunks without text",
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
    with pytest.raises(ComparabilityError, match="document 'd': to place chunks on units the texts"):
        project_corpus(corpus, "units", units_of=no_texts)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"id": "d", "chunks": []}, "document 'd': chunks is no list of chunks, or an empty one"),
        ({"id": "d", "chunks": "abc"}, "chunks is no list"),
        ({"id": "d", "chunks": [3]}, "chunk 1 is neither a text nor an object"),
        ({"id": "d", "chunks": [{"text": 3}]}, "the text of chunk 1 is no text"),
        ({"id": "d", "chunks": [{"start": 0, "end": 2}, {"text": "x"}]}, "some chunks have no text and some no offsets"),
        ({"id": "d", "chunks": [{"start": 4, "end": 2}]}, "chunk 1 lies at 4..2"),
        ({"id": "d", "chunks": [{"start": 0, "end": 10**30}]}, "at most"),
        ({"id": "d", "chunks": [{"start": 0.5, "end": 2}]}, "the start of chunk 1 is 0.5"),
        ({"id": "d", "chunks": [{"start": True, "end": 2}]}, "the start of chunk 1 is True"),
        ({"id": "d", "chunks": [{"end": 2}]}, "the start of chunk 1 is None"),
        ({"id": "d", "chunks": ["x"], "text": 7}, "the text of the document is no text"),
        ({"id": "d", "chunks": ["x"], "text": TEXT}, "document 'd': chunk 1 ('x') is not in the text"),
        ({"id": None, "chunks": ["x"]}, "the id of a document is no text"),
        ({"id": "d", "chunks": [{"text": "Two", "start": 0, "end": 3}], "text": TEXT}, "chunk 1 says that it lies at 0..3"),
        ('{"id": "d", "chunks": ["x"]}\n{"id": "d", "chunks": ["x"]}\n', "document 'd' stands twice"),
        ('{"id": "d", "chunks": ["x"]}\n{"id": "e", "chunks": ["x"\n', "c.json:2: is no JSON"),
        ('{"id": "d", "chunks": ["x"]}\n7\n', "c.json:2: is no record"),
        ('{"id": "d", "chunks": ["x"]}\n{"id": "e"}\n', "c.json:2: has no 'chunks'"),
        ("[]", "chunks is no list of chunks, or an empty one"),
        ("7", "is no record"),
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
    with pytest.raises(
        ComparabilityError,
        match=r"document 'd': chunk 1 says that it lies at 1\.\.4, but there the text is 'ne'",
    ):
        project_corpus(load(path), "units", units_of=DOCS)
    path = written(tmp_path / "c.jsonl", {"id": "d", "chunks": [{"start": 0, "end": 99}]})
    with pytest.raises(ComparabilityError, match="but the text has 34 characters"):
        project_corpus(load(path), "units", units_of=DOCS)


def test_documents_whose_units_are_no_pieces_of_their_text(tmp_path):
    wrong = Corpus([Document(id="d", n_units=1, units=("Nowhere.",), extra={"text": TEXT})])
    corpus = load(written(tmp_path / "c.jsonl", {"id": "d", "chunks": WORDS}))
    with pytest.raises(ComparabilityError, match="its units are no pieces of its 'text'"):
        project_corpus(corpus, "units", units_of=wrong)
