"""Every registered segmenter and scorer, as soon as its file exists: shape, honesty, determinism, bad input."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest

from caesura.corpus import MADE_BY, Corpus, Document
from caesura.errors import CaesuraError
from caesura.scorers import SCORERS, Encoding, Features
from caesura.segmentation import Segmentation
from caesura.segmenters import SEGMENTERS, Baseline, SizedSegmenter
from caesura.segmenters.run import run_method

TOPICS = (
    ("cat", "kitten", "purr", "whisker", "mouse"),
    ("rain", "cloud", "storm", "thunder", "wind"),
    ("bread", "oven", "flour", "yeast", "dough"),
)


def document(key: str = "d", per_topic: int = 6, seed: int = 0) -> Document:
    rng = np.random.default_rng(seed)
    units = tuple(" ".join(rng.choice(words, 4)) + "." for words in TOPICS for _ in range(per_topic))
    n = len(units)
    votes = {"a": Segmentation(n, (per_topic,))}
    gold = Segmentation(n, (per_topic, 2 * per_topic))
    return Document(id=key, n_units=n, units=units, segmentation=gold, annotations=votes)


def of(*units: str) -> Document:
    return Document(
        id="d", n_units=len(units), units=units, segmentation=Segmentation(len(units)),
        annotations={"a": Segmentation(len(units))},
    )  # fmt: skip


ODD = {
    "one unit": of("A cat."),
    "two units": of("A cat.", "Some rain."),
    "empty units": of("", " ", "", "", ""),
    "some empty units": of("A cat.", "", "", "Rain.", "Cat."),
    "identical units": of(*["A cat purrs."] * 9),
    "no content words": of("the of", "and", "it is", "so", "we are", "!?"),
    "control characters": of("a\0b", "\x1b[31m", "‮", "", "x" * 2000),
}
ALL = [cls() for cls in SEGMENTERS]
SYSTEMS = [made for made in ALL if not isinstance(made, Baseline)]
ENCODING = Encoding()


def name(thing: object) -> str:
    return str(thing)


@pytest.mark.parametrize("made", ALL, ids=name)
def test_output_has_boundaries_scores_and_recipe(made):
    corpus = Corpus([document("a"), document("b", 4, 1)])
    segmented = run_method(corpus, made, encoding=ENCODING)
    assert list(segmented.ids) == ["a", "b"]
    assert SEGMENTERS.parse(str(made)) == made
    assert made.card.title
    for before, after in zip(corpus, segmented, strict=True):
        assert after.segmentation is not None
        assert after.units == before.units
        assert after.scores is not None
        assert np.isfinite(after.scores).all()
        assert not after.annotations
        recipe = after.extra[MADE_BY]
        assert recipe["method"] == str(made)
        assert recipe["parameters"] == made.options()
        assert recipe["seconds"] >= 0
        assert recipe.get("oracle", False) == made.oracle
        assert ("encoder" in recipe) == made.needs_vectors
        for coarse, fine in zip(after.hierarchy, after.hierarchy[1:], strict=False):
            assert set(coarse.boundaries) <= set(fine.boundaries)


@pytest.mark.parametrize("made", ALL, ids=name)
def test_same_input_same_output(made):
    corpus = Corpus([document("a"), document("b", 4, 1)])
    first, second = (run_method(corpus, made, encoding=ENCODING, seed=3) for _ in range(2))
    assert [d.segmentation for d in first] == [d.segmentation for d in second]
    assert [d.scores for d in first] == [d.scores for d in second]


@pytest.mark.parametrize("made", ALL, ids=name)
def test_only_oracles_read_boundaries(made):
    """Without oracle in its label, a segmenter gives the same boundaries whatever the document's own are."""
    known = Corpus([document()])
    bare = Corpus([dataclasses.replace(document(), segmentation=None, annotations={})])
    if made.oracle:
        assert "oracle" in made.label
        with pytest.raises(CaesuraError):
            run_method(bare, made, encoding=ENCODING)
        return
    one, other = (run_method(corpus, made, encoding=ENCODING)["d"] for corpus in (known, bare))
    assert (one.segmentation, one.scores) == (other.segmentation, other.scores)


@pytest.mark.parametrize("odd", ODD.values(), ids=list(ODD))
@pytest.mark.parametrize("made", ALL, ids=name)
def test_odd_documents_have_a_defined_result(made, odd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        after = run_method(Corpus([odd]), made, encoding=ENCODING)["d"]
    assert after.segmentation is not None
    assert after.segmentation.n_units == odd.n_units
    assert len(after.scores or ()) == odd.n_units - 1


@pytest.mark.parametrize("made", [made for made in SYSTEMS if isinstance(made, SizedSegmenter)], ids=name)
def test_the_number_of_segments_is_the_one_requested(made):
    text = document()
    for wanted in (1, 2, 3, 5, 18, 400):
        cut = dataclasses.replace(made, n_segments=wanted).cut(Features(text, ENCODING))
        assert cut.segmentation.n_segments == min(wanted, 18)
    cut = dataclasses.replace(made, per_100=20.0).cut(Features(text, ENCODING))
    assert cut.segmentation.n_boundaries == 4
    oracle = dataclasses.replace(made, n_segments="oracle")
    assert oracle.oracle
    assert "oracle" in str(oracle)
    assert oracle.cut(Features(text, ENCODING)).segmentation.n_segments == 3
    for odd in ODD.values():
        cut = dataclasses.replace(made, n_segments=2).cut(Features(odd, ENCODING))
        assert cut.segmentation.n_segments == min(2, odd.n_units)
    with pytest.raises(CaesuraError, match="not both"):
        dataclasses.replace(made, n_segments=2, per_100=3.0)
    with pytest.raises(CaesuraError, match="n_segments is 0; it must be"):
        dataclasses.replace(made, n_segments=0)


@pytest.mark.parametrize("made", [made for made in SYSTEMS if getattr(made, "finds_topics", False)], ids=name)
def test_topics_that_share_no_word_are_found(made):
    """At the right number of segments a system finds topics that share no word, or declares ``finds_topics = False``."""
    found = dataclasses.replace(made, n_segments=3).cut(Features(document(), ENCODING)).segmentation.boundaries
    assert all(abs(one - other) <= 1 for one, other in zip(found, (6, 12), strict=True))


@pytest.mark.parametrize("made", [made for made in SYSTEMS if not made.needs_vectors], ids=name)
def test_a_document_without_text_is_refused(made):
    with pytest.raises(CaesuraError, match="document 'd' has no text to segment"):
        run_method(Corpus([Document(id="d", n_units=4)]), made)


# Weights must be given to NextSentence: tests/scorers/test_next_sentence.py.
@pytest.mark.parametrize("cls", [cls for cls in SCORERS if cls.name() != "NextSentence"], ids=lambda cls: cls.name())
def test_scorers_give_one_finite_score_per_gap(cls):
    scorer = cls()
    assert SCORERS.parse(str(scorer)) == scorer
    for text in (document(), *ODD.values()):
        scores = scorer.score(text, encoding=ENCODING)
        assert scores.shape == (text.n_units - 1,)
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("made", [*SYSTEMS, SEGMENTERS.parse("APS(solver='messages')")], ids=name)
@pytest.mark.parametrize("units", [("",) * 6, ("A cat purrs on the mat.",) * 14], ids=["empty", "identical"])
def test_units_that_do_not_differ_are_not_separated(made, units):
    """Nothing in the text says where to cut, so that rounding must not decide."""
    cut = made.cut(Features(of(*units), ENCODING))
    assert cut.segmentation.boundaries == ()
