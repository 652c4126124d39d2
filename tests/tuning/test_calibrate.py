"""A temperature fitted to the scores of documents, saved, read and applied."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import caesura as cz
from caesura.errors import ComparabilityError, FormatError, SegmentationError
from caesura.results import tables_of
from caesura.statistics.calibration import fit_temperature, reliability
from caesura.tuning.calibrate import calibrate, calibrated, read_temperature

S = cz.Segmentation


def made(scale=3.0, documents=40, units=30, seed=0):
    """Return a gold drawn from known probabilities, and their log-odds made too sure by a factor."""
    rng = np.random.default_rng(seed)
    reference, rows = {}, []
    for n in range(documents):
        logits = rng.normal(-1.0, 1.5, units - 1)
        truth = rng.random(units - 1) < 1 / (1 + np.exp(-logits))
        reference[str(n)] = S(units, np.flatnonzero(truth) + 1)
        rows.append(cz.Document(id=str(n), n_units=units, scores=tuple(scale * logits)))
    return reference, cz.Corpus(rows)


def test_it_finds_what_was_done_to_the_logits():
    reference, corpus = made(scale=3.0, documents=200)
    found = calibrate(reference, corpus, name="m")
    assert found.temperature.value == pytest.approx(3.0, rel=0.1)
    assert found.after.ece < 0.03 < found.before.ece
    assert found.temperature.nll_after < found.temperature.nll_before
    assert found.notes() == []


def test_it_is_the_fit_over_all_gaps():
    reference, corpus = made()
    logits = np.concatenate([corpus[key].scores for key in reference])
    labels = np.concatenate(
        [np.isin(np.arange(1, gold.n_units), gold.boundaries).astype(int) for gold in reference.values()]
    )
    found = calibrate(reference, corpus, bins=7)
    assert found.temperature == fit_temperature(logits, labels)
    assert found.after.bins == reliability(found.temperature.apply(logits), labels, 7).bins
    assert found.after.nll == found.temperature.nll_after
    facts = found.facts
    assert (facts.documents, facts.gaps, facts.boundaries) == (40, len(labels), int(labels.sum()))


def test_saved_read_and_applied(tmp_path):
    reference, corpus = made()
    found = calibrate(reference, corpus)
    path = tmp_path / "t.json"
    path.write_bytes(found.encode())
    again = read_temperature(path)
    assert again.value == found.temperature.value
    applied = calibrated(corpus, again)
    for document in corpus:
        expected = [1 / (1 + math.exp(-z / again.value)) for z in document.scores]
        assert applied[document.id].scores == pytest.approx(expected)
    assert json.loads(path.read_text())["temperature"] == found.temperature.value


def test_results_are_read_back_and_show_the_same(tmp_path):
    reference, corpus = made()
    found = calibrate(reference, corpus, name="m")
    written = found.save(tmp_path / "r.json")
    again = cz.read_results(tmp_path / "r.json")
    assert again == written
    assert again.calibration.temperature == found.temperature.value
    assert sum(row.count for row in again.calibration.after.bins) == found.facts.gaps
    assert list(map(str, tables_of(again))) == list(map(str, found.tables()))


@pytest.mark.parametrize(
    ("scores", "boundaries", "why"),
    [
        ((5.0, -5.0, -5.0), (1,), "right side of 0"),
        ((-5.0, 5.0, 5.0), (1,), "wrong way on average"),
        ((-1.0, 0.5, 2.0), (), "all labels are the same"),
        ((0.0, 0.0, 0.0), (1,), "all logits are 0"),
    ],
)
def test_cases_without_an_optimum_are_said(tmp_path, scores, boundaries, why):
    corpus = cz.Corpus([cz.Document(id="d", n_units=4, scores=scores)])
    found = calibrate({"d": S(4, boundaries)}, corpus, name="m")
    assert not found.temperature.interior
    assert why in found.notes()[0]
    assert "\n" not in found.notes()[0]
    (tmp_path / "t.json").write_bytes(found.encode())
    assert why in read_temperature(tmp_path / "t.json").reason


def test_probabilities_are_recognised():
    corpus = cz.Corpus([cz.Document(id="d", n_units=4, scores=(0.9, 0.2, 0.1))])
    assert "log(p / (1 - p))" in calibrate({"d": S(4, (1,))}, corpus).notes()[-1]


def test_refusals():
    reference, corpus = made(documents=2)
    with pytest.raises(ComparabilityError, match=r"'1' of the reference is missing from 'logits'"):
        calibrate(reference, cz.Corpus([corpus["0"]]))
    with pytest.raises(ComparabilityError, match="'1' of 'logits' is not in the reference"):
        calibrate({"0": reference["0"]}, corpus)
    with pytest.raises(ComparabilityError, match="reference has 9 units, scorer 'logits' 30"):
        calibrate({"0": S(9), "1": S(30)}, corpus)
    with pytest.raises(SegmentationError, match="has no scores"):
        calibrate(reference, cz.Corpus.from_segmentations(reference))
    with pytest.raises(ComparabilityError, match="no gap"):
        calibrate({"0": S(1)}, cz.Corpus([cz.Document(id="0", n_units=1, scores=())]))
    with pytest.raises(SegmentationError, match="score 2 is nan"):
        calibrate({"0": S(3)}, cz.Corpus([cz.Document(id="0", n_units=3, scores=(0.1, math.nan))]))
    with pytest.raises(ComparabilityError, match="has no boundaries"):
        calibrate(cz.Corpus([cz.Document(id="0", n_units=30)]), cz.Corpus([corpus["0"]]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"temperature": "2", "interior": true}',
        '{"temperature": 0, "interior": true}',
        '{"temperature": -1, "interior": true}',
        '{"temperature": 1, "interior": true, "schema": "x/2"}',
        "\x00",
    ],
)
def test_other_files_are_no_temperature(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"t\.json"):
        read_temperature(path)
    with pytest.raises(FormatError, match="cannot be read"):
        read_temperature(tmp_path / "none.json")
