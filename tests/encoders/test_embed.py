"""From corpora to vectors: each text once, results in order, and nothing wrong let through."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.corpus import Corpus, Document
from caesura.encoders import Cache, embed
from caesura.errors import EncoderError
from tests.encoders.conftest import Toy, corpus_of, toy_vectors

WORDS = st.sampled_from(["", "a", "bb", "ccc", "a longer text", "é", "a " * 50])


@given(documents=st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=5))
def test_every_unit_gets_its_vector(tmp_path_factory, documents):
    corpus = corpus_of(**{f"d{n}": texts for n, texts in enumerate(documents)})
    with Cache(tmp_path_factory.mktemp("cache")) as cache:
        for round_ in range(2):
            toy = Toy()
            found = embed(corpus, toy, cache=cache)
            assert list(found) == corpus.ids
            for n, texts in enumerate(documents):
                assert found[f"d{n}"].dtype == np.float32
                np.testing.assert_array_equal(found[f"d{n}"], toy_vectors(texts))
            distinct = {text for texts in documents for text in texts}
            assert sorted(toy.seen) == (sorted(distinct) if round_ == 0 else [])


def test_short_texts_first_and_in_batches(toy):
    texts = ["x" * (n * 7 % 1000) + str(n) for n in range(1000)]
    embed(corpus_of(d=texts), toy)
    lengths = [len(text) for text in toy.seen]
    assert lengths == sorted(lengths)
    assert toy.batches == [128] * 7 + [104]


def test_progress_counts_what_the_cache_had(toy):
    first, both = [f"a{n}" for n in range(200)], [f"a{n}" for n in range(400)]
    calls: list[tuple[int, int]] = []
    with Cache() as cache:
        embed(corpus_of(d=[*first, *first]), toy, cache=cache)
        embed(corpus_of(d=both), toy, cache=cache, progress=lambda *call: calls.append(call))
    assert calls == [(200, 400), (328, 400), (400, 400)]
    assert len(toy.seen) == 400


def test_the_usual_cache(toy, own_cache):
    corpus = corpus_of(d=["a", "b"])
    embed(corpus, toy)
    assert not own_cache.exists()
    embed(corpus, toy, cache=True)
    assert (own_cache / "vectors.sqlite3").exists()
    embed(corpus, toy, cache=True)
    assert toy.batches == [2, 2]


def test_the_cache_where_it_saves_time(toy, own_cache):
    corpus = corpus_of(d=["a", "b"])
    embed(corpus, "default", cache=None)
    assert not own_cache.exists()
    embed(corpus, toy, cache=None)
    assert (own_cache / "vectors.sqlite3").exists()


def test_an_encoder_that_changed_is_encoded_again(toy):
    class Other(Toy):
        fingerprint = "toy-2"

        def encode(self, texts):
            return -super().encode(texts)

    corpus, other = corpus_of(d=["a", "b"]), Other()
    with Cache() as cache:
        embed(corpus, toy, cache=cache)
        np.testing.assert_array_equal(embed(corpus, other, cache=cache)["d"], -toy_vectors(["a", "b"]))


def test_no_documents(toy):
    assert embed(Corpus([]), toy) == {}


def test_a_document_without_texts(toy):
    corpus = Corpus([Document(id="d", n_units=3)])
    with pytest.raises(EncoderError, match="document 'd' has no text, which the encoder toy requires"):
        embed(corpus, toy)


@pytest.mark.parametrize(
    ("give", "says"),
    [
        (lambda rows: rows[:-1], "1 vectors for 2 units"),
        (lambda rows: rows[:, :-1], "vectors of dimension 7; it must be 8"),
        (lambda rows: rows * np.nan, "holds NaN"),
        (lambda rows: rows.astype(str), "must be numbers"),
        (lambda rows: 1 // 0, r"toy fails on texts such as 'a' \(ZeroDivisionError.*\); repair"),
    ],
)
def test_nothing_wrong_goes_through_or_is_kept(give, says):
    class Wrong(Toy):
        def encode(self, texts):
            return give(super().encode(texts))

    with Cache() as cache:
        with pytest.raises(EncoderError, match=says):
            embed(corpus_of(d=["a", "bb"]), Wrong(), cache=cache)
        assert cache.kept() == []


def test_a_zero_vector_is_a_vector(toy):
    class Zero(Toy):
        def encode(self, texts):
            return np.zeros((len(texts), 8), np.float32)

    assert not embed(corpus_of(d=["a"]), Zero())["d"].any()


def test_a_fault_of_many_lines_is_one(toy):
    class Wordy(Toy):
        def encode(self, texts):
            raise RuntimeError("first\nsecond")

    with pytest.raises(EncoderError, match="RuntimeError: first second"):
        embed(corpus_of(d=["a"]), Wordy())
