"""SpeechCohesion on synthetic timed shows: stories with their own words and speakers, an anchor between them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import DeclarationError, SegmentationError
from caesura.evaluation.evaluate import evaluate
from caesura.scorers import Features
from caesura.segmentation import Segmentation
from caesura.segmenters import segmenter
from caesura.segmenters.speech_cohesion import SpeechCohesion, breath_groups

NAMES = ("Anna Kern", "Ben Ode", "Cleo Marsh", "Dan Field", "Eve Stone", "Finn Brook", "Gwen Hill", "Hal Wood")


def show(seed: int, *, persons: bool = True, stories: int = 7) -> Document:
    """Return a show as timed words: short and long stories, whose words overlap by a common pool."""
    rng = np.random.default_rng(seed)
    pool = [f"common{letter}" for letter in "abcdefghijklmnopqrst"]
    said: list[tuple[str, str, float, float]] = []
    ends, clock = [], 0.0
    for story in range(stories):
        own = [f"story{story}{letter}" for letter in "abcdefgh"]
        groups = int(rng.choice([4, 18]))
        who = NAMES[(seed + story) % len(NAMES)] if persons else "one"
        for group in range(groups):
            speaker = "Host" if group == 0 and persons else who
            words = list(rng.choice(pool, 6)) + list(rng.choice(own, 3))
            if group == 0 and persons:
                words.append(who.split()[0])
            for word in words:
                said.append((word, speaker, clock, clock + 0.3))
                clock += 0.35
            clock += 0.6
        ends.append(len(said))
    words, speakers, starts, stops = zip(*said, strict=True)
    n = len(said)
    return Document(
        id=str(seed), n_units=n, units=words, speakers=speakers, unit_times=tuple(zip(starts, stops, strict=True)),
        segmentation=Segmentation(n, ends[:-1], unit="word"), unit="word",
    )  # fmt: skip


SHOWS = Corpus([show(seed) for seed in range(12)])
METHOD = "SpeechCohesion(pause=0.5, cutoff=1.0)"


def test_breath_groups_of_a_show():
    ends = breath_groups(SHOWS["0"], 0.5)
    sizes = np.diff([0, *ends])
    assert set(sizes.tolist()) == {9, 10}
    assert set(SHOWS["0"].segmentation.boundaries) <= set(ends.tolist())
    assert breath_groups(SHOWS["0"], None).tolist() == list(range(1, SHOWS["0"].n_units + 1))
    with pytest.raises(SegmentationError, match="document '0' has no times, which breath groups need"):
        breath_groups(dataclasses.replace(SHOWS["0"], unit_times=None), 0.5)


def test_boundaries_lie_between_breath_groups():
    made = segmenter(METHOD).segment(SHOWS)
    for before, after in zip(SHOWS, made, strict=True):
        assert set(after.segmentation.boundaries) <= set(breath_groups(before, 0.5).tolist())


def test_speakers_and_names_help_where_they_differ():
    scores = evaluate(
        SHOWS,
        {
            "all": segmenter(METHOD).segment(SHOWS),
            "words": segmenter(METHOD[:-1] + ", speakers=0.0, names=0.0)").segment(SHOWS),
        },
        ["Pk", "F1"],
    ).scores
    assert scores["all"]["F1"] > scores["words"]["F1"] + 0.1
    assert scores["all"]["Pk"] < scores["words"]["Pk"] - 0.1


def test_one_speaker_adds_nothing():
    """A speaker who is everywhere raises all similarities alike, so the boundaries are those of the words."""
    alone = Corpus([show(seed, persons=False) for seed in range(4)])
    nobody = Corpus([dataclasses.replace(d, speakers=None) for d in alone])
    method = segmenter("SpeechCohesion(pause=0.5, window=4, speakers=0.0)")
    assert [d.segmentation for d in method.segment(alone)] == [d.segmentation for d in method.segment(nobody)]


def test_long_stories_are_found_more_often_than_short_ones():
    """As in the paper: coverage by duration exceeds coverage by number, and long stories are recalled more often."""
    made = segmenter(METHOD[:-1] + ", speakers=3.0)").segment(SHOWS)
    scores = evaluate(SHOWS, {"s": made}, ["CovD", "CovN"]).scores["s"]
    assert scores["CovD"] > scores["CovN"] > 0.5
    found: dict[bool, list[bool]] = {True: [], False: []}
    for before, after in zip(SHOWS, made, strict=True):
        for start, end in before.segmentation.spans:
            best = max(
                2 * max(0, min(end, b) - max(start, a)) / (end - start + b - a) for a, b in after.segmentation.spans
            )
            found[end - start > 90].append(best >= 0.85)
    assert np.mean(found[True]) > np.mean(found[False])


def test_related_words_count_as_partly_equal(tmp_path):
    """Two words for one thing: with the relation, the gap between them is no valley."""
    units = ("ship", "ship", "boat", "boat", "rain", "rain")
    text = Document(id="d", n_units=6, units=units)
    file = tmp_path / "relations.tsv"
    file.write_text("ship\tboat\t1\nships\tboats\t0.5\n\n")
    plain = SpeechCohesion(window=2, min_gap=1, n_segments=2)
    related = dataclasses.replace(plain, relations=str(file))
    assert related.segment(text).boundaries == (4,)
    terms = related.terms(Features(text), breath_groups(text, None))
    from caesura.scorers.blocks import Related, term_cosines

    whole = term_cosines(terms, 2, Related(np.array([0]), np.array([1]), np.array([1.0])))
    assert whole[:2].tolist() == pytest.approx([1.0, 1.0])
    assert term_cosines(terms, 2)[1] == 0
    file.write_text("ship\tboat\t2\n")
    with pytest.raises(DeclarationError, match=r"relations.tsv:1: .* is no relation"):
        SpeechCohesion(relations=str(file), window=1).segment(Document(id="d", n_units=1, units=("x",)))
    with pytest.raises(DeclarationError, match="relations is 'nowhere', which cannot be read"):
        SpeechCohesion(relations="nowhere").segment(text)
