# SPDX-License-Identifier: Apache-2.0
"""Files as chunkers really write them.

``samples/chunkers`` was written by chonkie 1.7.0 (``Chunk.to_dict``), langchain-text-splitters 1.1.3 and
langchain-experimental 0.4.2 (``Document.model_dump_json``, ``dumpd``), llama-index-core 0.14.25 (``TextNode.to_dict``) and
unstructured 0.27.32 (``elements_to_json``), from the texts below.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, CaesuraWarning
from caesura.evaluation.cohesion import cohesion
from caesura.formats import detect, load
from caesura.units.projection import project_corpus, summary

SAMPLES = Path(__file__).parent / "samples" / "chunkers"
A = (
    "The lighthouse stood on the western rocks.", "Its lamp turned twice a minute.", "Ships kept well away from it.",
    "Bread needs flour, water and salt.", "The dough rests for a night.", "Then it is baked in a hot oven.",
    "The mayor opened the new bridge.", "Traffic had waited for it since spring.",
)  # fmt: skip
B = (
    "Cats sleep most of the day.", "They hunt at dawn.", "A cat hears better than a dog.",
    "Cats sleep most of the day.", "Rain fell on the market square.", "Sellers covered their stalls.",
)  # fmt: skip
TEXTS = {
    "a": " ".join(A[:3]) + "\n\n" + " ".join(A[3:6]) + "\n\n" + " ".join(A[6:]),
    "b": " ".join(B[:3]) + "\n\n" + " ".join(B[3:]),
}


def documents(suffix: str = "") -> Corpus:
    return Corpus(
        [
            Document(id=key + suffix, n_units=len(units), units=units, unit="sentence", extra={"text": TEXTS[key]})
            for key, units in (("a", A), ("b", B))
        ]
    )


@pytest.mark.parametrize(
    ("file", "gaps"),
    [
        ("langchain.jsonl", {"a": (3, 6), "b": (3,)}),
        ("langchain_dump.json", {"a": (3, 6), "b": (3,)}),
        ("semantic.jsonl", {"a": (1, 2, 4), "b": (2, 5)}),
    ],
)
def test_langchain_names_documents_by_their_files(file: str, gaps: dict[str, tuple[int, ...]]) -> None:
    assert detect(SAMPLES / file).name() == "chunks"
    corpus = load(SAMPLES / file)
    assert corpus.ids == ["a", "b"]
    made, _ = project_corpus(corpus, "units", units_of=documents())
    assert {d.id: d.segmentation and d.segmentation.boundaries for d in made} == gaps


def test_offsets_of_a_splitter_that_joins_sentences_are_wrong_and_told_of() -> None:
    # SemanticChunker counts the sentences it joined with one space, and the text has blank lines.
    _, costs = project_corpus(load(SAMPLES / "semantic.jsonl"), "units", units_of=documents())
    assert [cost.alignment and cost.alignment.misplaced for cost in costs] == [3, 2]
    assert "5 chunks are not at the given offsets and were located by their words" in summary(costs)


def test_llama_index_nodes_belong_to_the_node_they_were_made_of() -> None:
    corpus = load(SAMPLES / "llama.jsonl")
    assert corpus.ids == ["a.txt", "b.txt"]
    made, costs = project_corpus(corpus, "units", units_of=documents(".txt"))
    assert [d.segmentation and d.segmentation.boundaries for d in made] == [(3, 7), (4,)]
    assert [cost.alignment and cost.alignment.misplaced for cost in costs] == [0, 0]


def test_unstructured_elements_belong_to_their_files() -> None:
    for file, counts in (("unstructured_chunks.json", [3, 1]), ("unstructured_elements.json", [5, 3])):
        assert detect(SAMPLES / file).name() == "chunks"
        corpus = load(SAMPLES / file)
        assert corpus.ids == ["a", "b"]
        assert [len(document.extra["chunks"]) for document in corpus] == counts


def test_chonkie_is_one_document_named_after_the_file() -> None:
    corpus = load(SAMPLES / "chonkie.json")
    assert (corpus.ids, corpus.ids_are_given) == (["chonkie"], False)
    assert corpus["chonkie"].segmentation == load(SAMPLES / "langchain.jsonl")["a"].segmentation


@pytest.mark.parametrize("suffix", ["", ".txt"])
@pytest.mark.parametrize("file", ["langchain.jsonl", "llama.jsonl"])
def test_a_command_finds_the_documents_by_the_names_of_their_files(file: str, suffix: str) -> None:
    found = cohesion(documents(suffix), {"m": SAMPLES / file}, "ARPpair", nulls=())
    assert found.documents == ["a" + suffix, "b" + suffix]


def altered(folder: Path, change: dict[int, dict[str, object]], file: str = "langchain.jsonl") -> Path:
    lines = [json.loads(line) for line in (SAMPLES / file).read_text().splitlines()]
    for place, fields in change.items():
        lines[place].update(fields)
    path = folder / file
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_an_offset_of_minus_one_is_found_by_words(tmp_path: Path) -> None:
    path = altered(tmp_path, {1: {"metadata": {"source": "corpus/a.txt", "start_index": -1}}})
    with pytest.warns(CaesuraWarning, match=r"1 chunk has no offset \(-1\)"):
        corpus = load(path)
    made, _ = project_corpus(corpus, "units", units_of=documents())
    assert [d.segmentation and d.segmentation.boundaries for d in made] == [(3, 6), (3,)]


def test_files_of_one_name_in_two_folders_stay_apart(tmp_path: Path) -> None:
    change = {n: {"metadata": {"source": "other/a.txt"}} for n in (3, 4)}
    assert load(altered(tmp_path, change)).ids == ["corpus/a.txt", "other/a.txt"]


def test_damage_is_one_line_and_never_a_merge(tmp_path: Path) -> None:
    with pytest.raises(CaesuraError, match=r"langchain\.jsonl:2: the chunk does not name its document, but others do"):
        load(altered(tmp_path, {1: {"metadata": {}}}))
    with pytest.raises(CaesuraError, match="has neither 'chunks' nor a chunk's 'text'"):
        load(altered(tmp_path, {1: {"page_content": None, "text": None}}) and _without(tmp_path, "page_content"))
    with pytest.raises(CaesuraError, match=r"llama\.jsonl:2: the chunk does not name its document, but others do"):
        load(altered(tmp_path, {1: {"relationships": {}}}, "llama.jsonl"))


def _without(folder: Path, key: str) -> Path:
    path = folder / "langchain.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines[1:2]:
        line.pop(key, None)
        line.pop("text", None)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
