"""The adapters of libraries, on the libraries themselves; those that are not installed are skipped."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from caesura.corpus import MADE_BY, Corpus, Document
from caesura.errors import CaesuraError, DeclarationError
from caesura.evaluation.evaluate import evaluate
from caesura.formats import load
from caesura.scorers import Encoding
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.segmenters.run import run_method, run_methods
from tests.corpora import corpus_file, needs

CHOI = "choi/choi_3_3-11.jsonl.gz"
UNITS = (
    "The cat purrs on the mat.", "A kitten chased a mouse.", "Cats sleep all day.", "The whiskers of a cat are long.",
    "Rain fell on the hills.", "The storm brought thunder.", "Clouds hid the sun.", "Wind and rain came again.",
    "Bake bread in the oven.", "Flour and yeast make dough.", "The baker kneads dough.", "Bread needs an hour to rise.",
)  # fmt: skip
CORPUS = Corpus([
    Document(id="d", n_units=12, units=UNITS, segmentation=Segmentation(12, (4, 8))),
    Document(id="one", n_units=1, units=("A cat.",), segmentation=Segmentation(1)),
    Document(id="empty", n_units=3, units=("", " ", ""), segmentation=Segmentation(3)),
])  # fmt: skip

# Tried with chonkie 1.7.0, langchain-text-splitters 1.1.3, langchain-experimental 0.4.2, llama-index-core 0.14.25, semchunk 4.1.1,
# nltk 3.10.4 and ruptures 1.1.10. The boundaries of EXACT are also those of the libraries called without the adapters.
CASES = {
    "chonkie:SentenceChunker(chunk_size=110)": "chonkie",
    "chonkie:SemanticChunker(threshold=0.5)": "chonkie",
    "chonkie:RecursiveChunker(chunk_size=110)": "chonkie",
    "langchain:RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=20)": "langchain_text_splitters",
    "langchain:SemanticChunker(breakpoint_threshold_amount=80)": "langchain_experimental",
    "llama_index:SentenceSplitter(chunk_size=60, chunk_overlap=0)": "llama_index.core",
    "llama_index:SemanticSplitterNodeParser(breakpoint_percentile_threshold=80)": "llama_index.core",
    "semchunk:chunkerify(chunk_size=20)": "semchunk",
    "nltk:TextTiling(w=5, k=2)": "nltk",
    "ruptures:KernelCPD(kernel='cosine', n_bkps=2)": "ruptures",
    "ruptures:Pelt(pen=0.5)": "ruptures",
}
EXACT = {
    "langchain:RecursiveCharacterTextSplitter(chunk_size=120, chunk_overlap=20)": (4, 8),
    "semchunk:chunkerify(chunk_size=20)": (3, 7, 11),
    "nltk:TextTiling(w=5, k=2)": (4, 8),
    "ruptures:KernelCPD(kernel='cosine', n_bkps=2)": (4, 8),
}


def installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("text", CASES)
def test_a_library_segments(text):
    if not installed(CASES[text]):
        pytest.skip(f"{CASES[text]} is not installed")
    method = segmenter(text)
    out = run_method(CORPUS, method)
    made = out["d"].extra[MADE_BY]
    assert made["method"] == text == str(method)
    assert any(key.replace("-", "_").startswith(CASES[text].partition(".")[0].partition("_")[0]) for key in made)
    assert 0 < len(out["d"].segmentation.boundaries) < 11
    assert out["one"].segmentation.boundaries == out["empty"].segmentation.boundaries == ()
    if text in EXACT:
        assert out["d"].segmentation.boundaries == EXACT[text]
    assert ("encoder" in made) == ("emantic" in text or "ruptures" in text)


class Counting:
    """An encoder that remembers what it was asked."""

    name, dim, normalized, fingerprint = "counting", 4, False, "counting-1"

    def __init__(self):
        self.texts = []

    def encode(self, texts):
        import numpy as np

        self.texts += texts
        return np.array([[len(text), text.count("a"), text.count("e"), 1] for text in texts], dtype=np.float32)


@pytest.mark.parametrize("text", [text for text in CASES if "emantic" in text])
def test_the_encoder_of_the_run_is_injected(text):
    if not installed(CASES[text]):
        pytest.skip(f"{CASES[text]} is not installed")
    encoder = Counting()
    out = run_method(CORPUS, segmenter(text), encoding=Encoding(encoder, cache=False))
    assert any("The cat purrs" in asked for asked in encoder.texts)
    assert out["d"].extra[MADE_BY]["encoder"] == "counting counting-1"


KNOWN = {
    "chonkie:SemanticChunker(threshold=0.5, chunk_size=1000000)": (0.290, 0.711),
    "langchain:SemanticChunker(breakpoint_threshold_amount=90)": (0.347, 0.650),
    "llama_index:SemanticSplitterNodeParser(breakpoint_percentile_threshold=90)": (0.347, 0.650),
    "ruptures:KernelCPD(kernel='cosine', n_bkps='oracle')": (0.058, 0.952),
}
"""Pk and W-F1 on the first 30 documents of Choi 3-11, as prototypes measured them; an independent number, not a published one."""


@pytest.mark.filterwarnings("ignore:.*unknown keys")
@needs(CHOI)
@pytest.mark.parametrize("text", KNOWN)
def test_values_on_choi_are_those_of_the_prototypes(text):
    module = next(module for case, module in CASES.items() if case.partition("(")[0] == text.partition("(")[0])
    if not installed(module):
        pytest.skip(f"{module} is not installed")
    whole = load(corpus_file(CHOI))
    gold = whole.subset(list(whole.ids)[:30])
    scores = evaluate(gold, {"s": run_method(gold, segmenter(text))}, ["Pk", "W-F1"]).scores["s"]
    assert (round(scores["Pk"], 3), round(scores["W-F1"], 3)) == KNOWN[text]


@pytest.mark.skipif(not installed("ruptures"), reason="ruptures is not installed")
def test_ruptures_takes_no_more_change_points_than_fit_and_marks_an_oracle():
    assert segmenter("ruptures:KernelCPD(kernel='cosine', n_bkps=99)").segment(CORPUS["one"]).boundaries == ()
    many = segmenter("ruptures:KernelCPD(kernel='linear', min_size=1, n_bkps=99)").segment(CORPUS["d"])
    assert many.n_boundaries == 11
    oracle = segmenter("ruptures:KernelCPD(kernel='cosine', n_bkps='oracle')")
    assert oracle.oracle
    assert "oracle" in oracle.label
    assert oracle.segment(CORPUS["d"]).boundaries == (4, 8)


@pytest.mark.parametrize("text", CASES)
def test_a_missing_library_stops_its_own_method_only(text, monkeypatch):
    for module in type(segmenter(text)).modules:
        monkeypatch.setitem(sys.modules, module, None)  # as if it were not installed
    results = list(run_methods(CORPUS, [segmenter(text), segmenter("none")]))
    assert isinstance(results[0][1], DeclarationError)
    assert "is not installed; run: pip install" in str(results[0][1])
    assert isinstance(results[1][1], Corpus)


@pytest.mark.parametrize(
    ("text", "module", "words"),
    [
        ("chonkie:SemanticChunkr", "chonkie", "did you mean SemanticChunker"),
        ("chonkie:SemanticChunker(treshold=1)", "chonkie", "did you mean threshold"),
        ("chonkie:SemanticChunker(embedding_model='x')", "chonkie", "use --encoder"),
        ("ruptures:KernelCPD", "ruptures", "give one of n_bkps, pen and epsilon"),
        ("ruptures:NotEnoughPoints(pen=1)", "ruptures", "does not search for change points"),
        ("semchunk:chunk(chunk_size=3)", "semchunk", "write semchunk:chunkerify"),
        ("nltk:word_tokenize", "nltk", "only nltk:TextTiling segments"),
    ],
)
def test_a_wrong_spec_is_refused(text, module, words):
    if not installed(module):
        pytest.skip(f"{module} is not installed")
    with pytest.raises(DeclarationError, match=words):
        segmenter(text)


@pytest.mark.skipif(not installed("langchain_text_splitters"), reason="langchain-text-splitters is not installed")
def test_a_library_that_refuses_its_parameters_is_one_line():
    with pytest.raises(CaesuraError, match="larger chunk overlap"):
        run_method(CORPUS, segmenter("langchain:RecursiveCharacterTextSplitter(chunk_size=20)"))
