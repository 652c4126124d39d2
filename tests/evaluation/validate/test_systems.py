"""The reference against real systems: cases whose answer is known."""

from __future__ import annotations

import dataclasses

import pytest

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, DeclarationError, SegmentationError
from caesura.evaluation.cohesion.run import cohesion
from caesura.evaluation.validate.run import validate
from caesura.evaluation.validate.systems import REAL_SYSTEMS
from caesura.results import answer_of, read_results, tables_of, write_results
from caesura.results.validate.facts import BLIND
from caesura.scorers import Encoding
from caesura.segmenters import SEGMENTERS, Segmenter
from caesura.segmenters.base import Cut

from .test_run import Topics, gold


@dataclasses.dataclass(frozen=True)
class Planned(Segmenter):
    """Evenly spaced (``e``), at the very start (``s``), as the reference (``r``) or a failure (``f``), by document in turn."""

    plan: str = "e"

    def __str__(self):
        return f"Planned({self.plan})"

    def cut(self, features):
        number = int(features.document.id[1:])
        what = self.plan[number % len(self.plan)]
        if what == "f":
            raise SegmentationError("it failed")
        if what == "r":
            return Cut.at(features, features.document.segmentation.boundaries)
        return Cut.at(features, range(5, features.n_units, 5) if what == "e" else range(1, 7))


def ranked(*plans, metric=BLIND, n=12):
    """Return how often a metric prefers the reference to systems; by evenness, it loses to ``e`` and wins against ``s``."""
    found = validate(
        gold(n), metrics=["Silhouette"], encoders=[Topics()], draws=1, real_systems=[Planned(plan) for plan in plans]
    )
    return found, found.trust(metric).systems


def test_evenness_prefers_what_is_even_and_a_metric_that_reads_prefers_the_reference():
    found, blind = ranked("e")
    assert (blind.share, blind.interval, blind.pairs, blind.documents) == (0.0, (0.0, 0.0), 12, 12)
    read = found.trust("Silhouette").systems
    assert (read.share, read.pairs, read.systems) == (1.0, 12, {"Planned(e)": 1.0})


def test_the_interval_is_over_documents():
    """Half of the pairs are won in both cases: half of each document's, or all of half of the documents'."""
    _, within = ranked("e", "s")
    assert (within.share, within.pairs, within.documents) == (0.5, 24, 12)
    assert within.interval == (0.5, 0.5)
    assert within.systems == {"Planned(e)": 0.0, "Planned(s)": 1.0}
    _, between = ranked("es")
    assert (between.share, between.pairs) == (0.5, 12)
    assert 0.1 < between.interval.low < 0.3
    assert 0.7 < between.interval.high < 0.9


def test_what_equals_the_reference_or_failed_is_in_no_pair():
    found, blind = ranked("er", "sf")
    assert (blind.pairs, blind.documents, blind.share) == (12, 6, 0.5)
    (trust,) = found.section.encoders.values()
    assert len(trust.failed) == 6
    assert "it failed" in trust.failed[0]
    assert "'d1'" in trust.failed[0]
    _, same = ranked("r")
    assert (same.share, same.interval, same.pairs, same.documents) == (None, (None, None), 0, 0)
    assert any(" has no score to compare with" in line for line in ranked("r")[0].answer())


def test_a_system_that_fails_costs_itself_only():
    found, blind = ranked("f", "e")
    assert (blind.pairs, list(found.section.encoders["topics"].systems)) == (12, ["Planned(e)"])
    with pytest.raises(SegmentationError, match="it failed"):
        ranked("f")


def test_included_systems_agree_with_scores_measured_apart(tmp_path):
    """The shares are those that follow from scores of the same systems by another command."""
    corpus = gold(6)
    metrics = ["Placement", "SegReFree"]
    found = validate(corpus, metrics=metrics, encoders=[Topics()], draws=1, real_systems=True)
    (trust,) = found.section.encoders.values()
    assert tuple(trust.systems) == REAL_SYSTEMS
    encoding = Encoding(Topics(), cache=False)
    made = {name: SEGMENTERS.parse(name).segment(corpus, encoding=encoding) for name in REAL_SYSTEMS}
    measured = cohesion(corpus, {"gold": corpus, **made}, metrics, encoder=Topics(), nulls=(), check=False)
    for name in metrics:
        sign = 1 if name == "Placement" else -1
        wins, pairs = 0.0, 0
        for system, output in made.items():
            for key, own, other in zip(
                corpus.ids, measured.per_document("gold", name), measured.per_document(system, name), strict=True
            ):
                if output[key].segmentation != corpus[key].segmentation and own == own and other == other:
                    pairs += 1
                    wins += 0.5 if abs(own - other) < 1e-12 else float(sign * own > sign * other)
        ranking = found.trust(name).systems
        assert ranking.pairs == pairs > 6
        assert ranking.share == pytest.approx(wins / pairs)
    target = tmp_path / "r.json"
    write_results(target, found.results())
    again = read_results(target)
    assert again.validity.encoders["topics"].metrics["Placement"].systems == found.trust("Placement").systems
    assert tables_of(again) == found.tables()


@pytest.mark.parametrize(
    ("plans", "worth"),
    [
        (("e",), "it prefers the systems to the reference, so it cannot rank systems."),
        (("es",), "that is not shown to be better than a coin."),
        (("s",), "whether it ranks systems correctly is another question (caesura correlate)."),
    ],
)
def test_the_answer_claims_no_more_than_was_found(plans, worth):
    """The shares of the blind metric, which are known, told as those of a metric."""
    found, blind = ranked(*plans)
    results = found.results()
    results.validity.encoders["topics"].metrics["Silhouette"].systems = blind
    (sentence,) = [line for line in answer_of(results) if line.startswith("Against ")]
    assert sentence.startswith("Against 1 real segmenter, Silhouette scores the documents' own boundaries higher in ")
    assert sentence.endswith(worth)


def test_nothing_is_said_unless_asked():
    found = validate(gold(3), metrics=["Silhouette"], encoders=[Topics()], draws=1)
    assert found.trust("Silhouette").systems is None
    assert not any("real" in line for line in found.answer())
    assert not any("real systems" in table.title for table in found.tables())


def test_what_cannot_be_compared():
    corpus = gold(3)
    bare = Corpus([dataclasses.replace(document, segmentation=None) for document in corpus])
    with pytest.raises(ComparabilityError, match="real systems are compared with a reference"):
        validate(bare, corpus, ["Silhouette"], encoders=[Topics()], draws=1, real_systems=True)
    with pytest.raises(DeclarationError, match="no method given"):
        validate(corpus, metrics=["Silhouette"], encoders=[Topics()], draws=1, real_systems=[])
