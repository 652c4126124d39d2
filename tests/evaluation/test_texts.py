# SPDX-License-Identifier: Apache-2.0
"""Texts and chunks as they are in Python, without a file in between."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, ComparabilityError
from caesura.evaluation.cohesion import cohesion
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.spans import spans
from caesura.segmentation import Segmentation

UNITS = {
    "a": ("The cat sat on the warm stone.", "It slept there.", "Rates rose in March.", "Banks lent less money."),
    "b": ("Snow fell on the hills.", "The road was closed.", "He baked two loaves.", "They were still warm."),
}
LINES = {key: "\n".join(units) for key, units in UNITS.items()}
CHUNKS = {key: [" ".join(units[:2]), " ".join(units[2:])] for key, units in UNITS.items()}
GOLD = Corpus(
    [
        Document(id=key, n_units=4, units=units, unit="sentence", segmentation=Segmentation(4, (2,), unit="sentence"))
        for key, units in UNITS.items()
    ]
)


def test_cohesion_takes_texts_and_chunks() -> None:
    by_line = cohesion(LINES, {"m": CHUNKS}, "ARPpair", nulls=(), format="text(by='line')")
    by_units = cohesion(UNITS, {"m": CHUNKS}, "ARPpair", nulls=())
    same = cohesion(GOLD, {"m": {key: Segmentation(4, (2,)) for key in UNITS}}, "ARPpair", nulls=())
    assert by_line.scores == by_units.scores == same.scores
    assert cohesion(UNITS, CHUNKS, "ARPpair", nulls=()).scores["hypothesis"] == same.scores["m"]


def test_texts_are_split_into_sentences() -> None:
    pytest.importorskip("syntok")
    texts = {key: " ".join(units) for key, units in UNITS.items()}
    assert cohesion(texts, {"m": CHUNKS}, "ARPpair", nulls=()).source.corpus["a"].units == UNITS["a"]


def test_spans_takes_texts_and_chunks() -> None:
    report = spans(UNITS, {"a": ["It slept there. Rates rose"], "b": ["two loaves"]}, {"m": CHUNKS}, resamples=10)
    assert report.scores["m"]["Inside"] == 0.5


@pytest.mark.parametrize(
    "make",
    [
        lambda text: text,
        lambda text: {"text": text, "start_index": 0},
        lambda text: SimpleNamespace(text=text),
        lambda text: SimpleNamespace(page_content=text, metadata={}),
    ],
)
def test_evaluate_locates_the_chunks_of_any_chunker_in_the_reference(make) -> None:  # type: ignore[no-untyped-def]
    chunks = {key: [make(chunk) for chunk in row] for key, row in CHUNKS.items()}
    e = evaluate(GOLD, {"m": chunks}, ["Pk", "W-F1"])
    assert e.scores["m"] == {"Pk": 0.0, "W-F1": 1.0}
    assert any("boundaries moved by 0 characters at most" in note for note in e.notes())
    assert "words" not in e.signature("Pk")


def test_changed_words_are_found_and_the_share_is_in_every_recipe() -> None:
    changed = {
        "a": ["The cat sat on a warm stone. It slept there.", "Rates rose in March. Banks lent less."],
        "b": CHUNKS["b"],
    }
    e = evaluate(GOLD, {"m": changed}, ["Pk"])
    # Of the 18 words of the text, 'the' was replaced and 'money' is gone: 16 match.
    assert e.scores["m"]["Pk"] == 0.0
    assert "|words:0.889|" in e.signature("Pk")
    assert e.results().inputs[1].assumed == {"words": "0.889", "project": "units"}
    c = cohesion(UNITS, {"m": changed}, "ARPpair", nulls=())
    assert "|words:0.889|" in c.signature("ARPpair")
    report = spans(UNITS, {"a": ["Rates rose"]}, {"m": changed}, resamples=10)
    assert report.systems["m"].assumed == {"words": "0.889"}


def test_what_is_another_text_is_refused() -> None:
    other = {**CHUNKS, "a": ["A wholly different beginning of things.", "And an end."]}
    with pytest.raises(
        ComparabilityError, match=r"document 'a': chunk 1 .* is not in the text, and only \d+% of the words"
    ):
        evaluate(GOLD, {"m": other}, "Pk")
    with pytest.raises(CaesuraError, match=r"document 'x': is not in"):
        evaluate(GOLD, {"m": {"x": CHUNKS["a"], "b": CHUNKS["b"]}}, "Pk")
    bare = {key: Segmentation(4, (2,)) for key in UNITS}
    with pytest.raises(ComparabilityError, match="requires the texts of the units"):
        evaluate(bare, {"m": CHUNKS}, "Pk")


def test_bits_stay_bits() -> None:
    e = evaluate({"a": "010", "b": "010"}, {"m": {"a": "010", "b": "010"}}, "Pk")
    assert e.scores["m"]["Pk"] == 0.0


@pytest.mark.parametrize(
    ("documents", "chunks", "words"),
    [
        (LINES["a"], CHUNKS, "'documents' is a text without a document's name"),
        ("The cat sat. It slept.", CHUNKS, "'documents' is a text without a document's name"),
        (list(LINES.values()), CHUNKS, "'documents' is a list of texts without a document's name"),
        ("no such file.jsonl", CHUNKS, "no such file.jsonl: no such file"),
    ],
)
def test_texts_without_a_name_are_not_taken_for_files(documents: object, chunks: object, words: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        cohesion(documents, {"m": chunks}, "ARPpair", nulls=())  # type: ignore[arg-type, dict-item]
    assert words in str(caught.value)


def test_a_long_string_of_bits_is_a_segmentation() -> None:
    assert evaluate("01" * 200, "01" * 200, metrics="Pk").scores["hypothesis"]["Pk"] == 0
