"""TokenTiling has NLTK's boundaries."""

from __future__ import annotations

import json

import pytest

from caesura.corpus import Document
from caesura.segmenters.token_tiling import TokenTiling
from tests.corpora import corpus_file, needs
from tests.segmenters.brute import CHOI, first_documents

FIXTURE, STOPS = "reproduction/nltk_texttiling_positions.json", "stopwords_nltk_english.txt"
ARTICLES = "wiki50/original"


def wiki():
    """Yield the 50 files with their headings as units."""
    for path in sorted(corpus_file(ARTICLES).iterdir()):
        lines = path.read_text(encoding="utf-8").splitlines()
        units = tuple(line.split(",", 2)[2] if line.startswith("========,") else line for line in lines if line.strip())
        yield Document(id=path.name, n_units=len(units), units=units)


@needs(FIXTURE, STOPS, CHOI, ARTICLES)
@pytest.mark.parametrize("corpus", ["choi", "wiki50"])
def test_boundaries_of_nltk(corpus):
    """All 300 documents of Choi 3-11 with w = 100, and all 50 of Wiki-50 with w = 20."""
    expected = json.loads(corpus_file(FIXTURE).read_text())[corpus]
    documents = first_documents(CHOI, 300) if corpus == "choi" else [d for d in wiki() if d.id in expected]
    tiling = TokenTiling(w=100 if corpus == "choi" else 20, stop_words=str(corpus_file(STOPS)))
    assert {d.id: list(tiling.segment(d).boundaries) for d in documents} == expected


@pytest.mark.parametrize("seed", range(6))
def test_boundaries_of_nltk_on_other_texts(seed):
    """Odd units: punctuation, capitals, digits, tabs, empty lines, paragraphs inside a unit."""
    import numpy as np

    texttiling = pytest.importorskip("nltk.tokenize.texttiling")
    rng = np.random.default_rng(seed)
    pool = ["the", "Cat", "rain;", "co-op", "it's", "42", "é", "dough", "oven.", "of", "storm\\t", "purr,", "\\n", " "]
    units = tuple(" ".join(rng.choice(pool, int(rng.integers(0, 40)))) for _ in range(60))
    text = "\n\n".join(units)
    stops = ["the", "of", "it", "s"]
    nltk = texttiling.TextTilingTokenizer(w=10, k=4, stopwords=stops)
    try:
        pieces = nltk.tokenize(text)
    except ValueError:
        pieces = [text]
    places, total = [], 0
    for piece in pieces[:-1]:
        total += len(piece)
        places.append(total)
    starts = np.cumsum([0, *(len(unit) + 2 for unit in units[:-1])])
    gaps = sorted({int(np.searchsorted(starts, place)) for place in places} - {0, 60})
    path = None
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stops.txt"
        path.write_text("\n".join(stops))
        found = TokenTiling(w=10, k=4, stop_words=str(path)).segment(Document(id="d", n_units=60, units=units))
    assert list(found.boundaries) == gaps


def test_texts_that_nltk_refuses_have_no_boundary():
    short = Document(id="d", n_units=3, units=("one", "two", "three"))
    assert TokenTiling().segment(short).boundaries == ()
