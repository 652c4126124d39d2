"""Stems, words, stop lists and counts."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import DeclarationError
from caesura.scorers.features import Encoding, Features, count_terms, terms_of
from caesura.scorers.features.terms import Terms, stem, stop_list, words

# Examples of each step as the paper prints them (Porter 1980).
PRINTED = {
    "caresses": "caress", "ponies": "poni", "ties": "ti", "cats": "cat", "feed": "feed", "agreed": "agre",
    "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing", "conflated": "conflat",
    "troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan", "falling": "fall", "hissing": "hiss",
    "fizzed": "fizz", "failing": "fail", "filing": "file", "happy": "happi", "sky": "sky", "relational": "relat",
    "conditional": "condit", "rational": "ration", "valenci": "valenc", "digitizer": "digit", "conformabli": "conform",
    "radicalli": "radic", "differentli": "differ", "vileli": "vile", "analogousli": "analog",
    "vietnamization": "vietnam", "predication": "predic", "operator": "oper", "feudalism": "feudal",
    "decisiveness": "decis", "hopefulness": "hope", "callousness": "callous", "formaliti": "formal",
    "sensitiviti": "sensit", "sensibiliti": "sensibl", "triplicate": "triplic", "formative": "form",
    "formalize": "formal", "electriciti": "electr", "electrical": "electr", "hopeful": "hope", "goodness": "good",
    "revival": "reviv", "allowance": "allow", "inference": "infer", "airliner": "airlin", "gyroscopic": "gyroscop",
    "adjustable": "adjust", "defensible": "defens", "irritant": "irrit", "replacement": "replac",
    "adjustment": "adjust", "dependent": "depend", "adoption": "adopt", "homologou": "homolog",
    "communism": "commun", "activate": "activ", "angulariti": "angular", "homologous": "homolog",
    "effective": "effect", "bowdlerize": "bowdler", "probate": "probat", "rate": "rate", "cease": "ceas",
    "controll": "control", "roll": "roll",
}  # fmt: skip


def test_printed_examples():
    assert {word: stem(word) for word in PRINTED} == PRINTED


def test_other_words_are_kept():
    assert [stem(word) for word in ("as", "naïves", "o'clock", "")] == ["as", "naïves", "o'clock", ""]


def test_stems_equal_those_of_nltk(data_words):
    porter = pytest.importorskip("nltk.stem.porter").PorterStemmer(mode="ORIGINAL_ALGORITHM")
    assert len(data_words) > 1000
    assert [w for w in data_words if len(w) > 2 and stem(w) != porter.stem(w)] == []


@pytest.fixture
def data_words():
    from caesura.datasets.bundled import bundled

    texts = [unit for name in ("moonstone",) for document in bundled(name) for unit in document.units or ()]
    return sorted({word for text in texts for word in words(text) if word.isascii() and word.isalpha()})


def test_words_and_stop_lists(tmp_path):
    assert words("No-one's Über 3rd, x_y") == ["no", "one's", "über", "rd", "x", "y"]
    assert terms_of("The dog's bones") == ["dog", "bone"]
    assert terms_of("The dog's bones", stop_words="none", stemmed=False) == ["the", "dog's", "bones"]
    own = tmp_path / "stops.txt"
    own.write_text("Dog\nbones\n")
    assert stop_list(str(own)) == {"dog", "bones"}
    with pytest.raises(DeclarationError, match="stop_words is 'nowhere', which cannot be read"):
        stop_list("nowhere")


def test_slabs_hold_every_count(monkeypatch):
    lists = [["a", "b"], [], ["c", "a", "a"], ["d"]]
    terms = count_terms(lists)
    monkeypatch.setattr("caesura.scorers.features.terms._CELLS", 8)
    slabs = list(terms.slabs())
    assert [slab.shape for slab in slabs] == [(4, 2), (4, 2)]
    whole = np.concatenate(slabs, axis=1)
    assert whole.tolist() == [[row.count(term) for term in terms.vocabulary] for row in lists]
    assert terms.totals.tolist() == [3, 1, 1, 1]
    empty = count_terms([[], []])
    assert isinstance(empty, Terms)
    assert list(empty.slabs()) == []
    assert terms.weighted(np.array([2.0, 1, 1, 1])).count[0] == 2


def test_vectors_are_those_of_the_document(make_document):
    one, other = make_document("d", "A cat."), make_document("d", "Some rain.")
    encoding = Encoding()
    from caesura.corpus import Corpus

    encoding.prepare(Corpus([one]))
    assert not np.allclose(Features(one, encoding).vectors, Features(other, encoding).vectors)
    assert np.allclose(encoding.encode(["A cat."]), encoding.vectors(one))
    assert (encoding.name or "").startswith("default")


@pytest.fixture
def make_document():
    from caesura.corpus import Document

    return lambda key, *units: Document(id=key, n_units=len(units), units=units)
