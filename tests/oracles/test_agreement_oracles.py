"""Agreement against segeval 2.0.11, NLTK and statsmodels as installed, on random panels.

What they cannot do is left out by name:

* segeval crashes where no annotator of a pair has a boundary, and where all gaps are marked by all (ours: NaN);
* NLTK prints 1 where all are of one mind in one category, statsmodels nan (ours: NaN).
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.metrics.brute_panels import bits
from tests.strategies import panels

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
Codings = dict[str, Segmentation]


def of_two_minds(people: Codings, include_end: bool = False) -> bool:
    judgements = {value for coding in people.values() for value in bits(coding, include_end)}
    return len(judgements) == 2


@settings(max_examples=50)
@given(people=panels(min_units=3, max_units=20, max_annotators=4), n_t=st.integers(2, 5))
def test_segeval(people: Codings, n_t: int) -> None:
    segeval: Any = pytest.importorskip("segeval", reason="the oracle segeval is not installed")
    silent = sum(not coding.n_boundaries for coding in people.values())
    assume(silent < 2 and of_two_minds(people))
    dataset = segeval.Dataset({"d": {name: coding.masses for name, coding in people.items()}})
    functions = {"B": segeval.boundary_similarity, "S": segeval.segmentation_similarity}
    for letter, similarity in functions.items():
        options = {"fnc_compare": similarity, "n_t": n_t}
        ours = metric(f"Agreement{letter}(n_t={n_t})")
        observed = float(segeval.actual_agreement_linear(dataset, **options))
        assert ours.parts(people)["observed"] == pytest.approx(observed, abs=1e-9)
        assert ours(people) == pytest.approx(float(segeval.fleiss_pi_linear(dataset, **options)), abs=1e-9)
        by_coder = metric(f"Agreement{letter}(n_t={n_t}, kappa=True)")
        assert by_coder(people) == pytest.approx(float(segeval.fleiss_kappa_linear(dataset, **options)), abs=1e-9)
        bias = float(segeval.artstein_poesio_bias_linear(dataset, **options))
        assert ours.bias(people) == pytest.approx(bias, abs=1e-9)


@settings(max_examples=50)
@given(people=panels(min_units=3, max_units=20), include_end=st.booleans())
def test_nltk(people: Codings, include_end: bool) -> None:
    agreement: Any = pytest.importorskip("nltk.metrics.agreement", reason="the oracle NLTK is not installed")
    assume(of_two_minds(people, include_end))
    data = [
        (name, str(gap), value)
        for name, coding in people.items()
        for gap, value in enumerate(bits(coding, include_end))
    ]
    task = agreement.AnnotationTask(data=data)
    for name, theirs in (("FleissKappa", task.pi), ("MultiKappa", task.multi_kappa), ("KrippendorffAlpha", task.alpha)):
        ours = metric(f"{name}(include_end={include_end})")(people)
        assert ours == pytest.approx(theirs(), abs=1e-9)
    observed = metric(f"FleissKappa(include_end={include_end})").parts(people)["observed"]
    assert observed == pytest.approx(task.avg_Ao(), abs=1e-9)


def test_nltk_calls_silence_perfect() -> None:
    agreement: Any = pytest.importorskip("nltk.metrics.agreement", reason="the oracle NLTK is not installed")
    people = [Segmentation(6)] * 3
    data = [(str(who), str(gap), 0) for who, gap in itertools.product(range(3), range(5))]
    task = agreement.AnnotationTask(data=data)
    assert (task.multi_kappa(), task.alpha()) == (1.0, 1.0)
    assert math.isnan(metric("MultiKappa")(people))
    assert math.isnan(metric("KrippendorffAlpha")(people))


@settings(max_examples=30)
@given(people=panels(min_units=3, max_units=20), include_end=st.booleans())
def test_statsmodels(people: Codings, include_end: bool) -> None:
    rater: Any = pytest.importorskip("statsmodels.stats.inter_rater", reason="the oracle statsmodels is not installed")
    assume(of_two_minds(people, include_end))
    columns = list(zip(*(bits(coding, include_end) for coding in people.values()), strict=True))
    table = [[len(votes) - sum(votes), sum(votes)] for votes in columns]
    ours = metric(f"FleissKappa(include_end={include_end})")(people)
    assert ours == pytest.approx(rater.fleiss_kappa(table), abs=1e-9)
