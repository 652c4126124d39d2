"""Who stands apart: kappa without each annotator, density, and what is left when somebody is left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.batches.panel import Panel
from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.errors import ComparabilityError, FormatError
from caesura.evaluation.agree import agreement
from caesura.evaluation.agree.annotators import left_out
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.strategies import panels


@settings(max_examples=80)
@given(documents=st.lists(panels(max_units=12, min_annotators=1), min_size=1, max_size=3))
def test_kappa_without_each_coding(documents: list[dict[str, Segmentation]]) -> None:
    corpus = Corpus([Document(id=str(i), n_units=p["a1"].n_units, annotations=p) for i, p in enumerate(documents)])
    whole, without = left_out(Panel.from_corpus(corpus))
    kappa = metric("FleissKappa")
    assert whole.tolist() == pytest.approx([kappa(people) for people in documents], nan_ok=True)
    expected = []
    for people in documents:
        for name in people:
            rest = {other: coding for other, coding in people.items() if other != name}
            expected.append(kappa(rest) if rest else float("nan"))
    assert without.tolist() == pytest.approx(expected, nan_ok=True)


def test_kappa_without_is_kappa_after_exclusion() -> None:
    rows = agreement(bundled("moonstone"), resamples=50).annotators
    for name in ("an1", "an7"):
        rest = agreement(bundled("moonstone"), resamples=50, exclude=[name])
        assert rows[name].kappa_without == pytest.approx(rest.coefficients["FleissKappa"].score)
        assert name not in rest.panel.names
        assert rest.results().agreement.excluded == [name]  # type: ignore[union-attr]
    with pytest.raises(ComparabilityError, match="there is no annotator 'nobody'; there are an1, an2"):
        agreement(bundled("moonstone"), exclude=["nobody"])


def test_two_annotators_have_no_kappa_without_one() -> None:
    two = Corpus([Document(id="d", n_units=9, annotations={"x": Segmentation(9, (3,)), "y": Segmentation(9, (4,))})])
    row = agreement(two).annotators["x"]
    assert (row.kappa_without, row.kappa_change, row.density) == (None, (None, None), None)


def made(rates: dict[str, float], documents: int = 30) -> Corpus:
    """Return documents of 60 units whose annotators share a tenth of the gaps and add noise at their own rates."""
    rng = np.random.default_rng(3)
    corpus = []
    for number in range(documents):
        base = np.flatnonzero(rng.random(59) < 0.1) + 1
        people = {
            name: Segmentation(60, np.union1d(base, np.flatnonzero(rng.random(59) < rate) + 1))
            for name, rate in rates.items()
        }
        corpus.append(Document(id=f"d{number}", n_units=60, annotations=people))
    return Corpus(corpus)


def test_an_annotator_who_cuts_often_stands_apart_by_density() -> None:
    rows = agreement(made({"a": 0.02, "b": 0.02, "c": 0.02, "d": 0.25})).annotators
    assert [name for name, row in rows.items() if row.density_outlier] == ["d"]
    assert rows["d"].density is not None
    assert rows["d"].density > 2
    # The change of kappa is above 0 for the one who stands apart, below 0 for the others.
    assert rows["d"].kappa_change is not None
    assert rows["d"].kappa_change.low is not None
    assert rows["d"].kappa_change.low > 0
    assert rows["a"].kappa_change is not None
    assert rows["a"].kappa_change.high is not None
    assert rows["a"].kappa_change.high < 0


def test_density_by_hand() -> None:
    """Counts 2, 2, 6 and 4, 2, 3: medians 2 and 3, so x has 6 of 5, y 4 of 5, z 9 of 5."""
    counts = [{"x": 2, "y": 2, "z": 6}, {"x": 4, "y": 2, "z": 3}, {"x": 5, "y": 1}]
    corpus = Corpus(
        [
            Document(
                id=str(i), n_units=20, annotations={n: Segmentation(20, range(1, c + 1)) for n, c in people.items()}
            )
            for i, people in enumerate(counts)
        ]
    )
    rows = agreement(corpus).annotators
    assert {name: row.density for name, row in rows.items()} == pytest.approx({"x": 1.2, "y": 0.8, "z": 1.8})


def test_names(tmp_path) -> None:
    corpus = Corpus([Document(id="7", n_units=9, annotations={"1": Segmentation(9, (3,)), "2": Segmentation(9, (4,))})])
    assert agreement(corpus, names={"1": "Anna"}).panel.names == ("Anna", "2")
    file = tmp_path / "names.json"
    file.write_text('{"annotators": {"2": "Ben"}, "documents": {"7": "first"}}')
    named = agreement(corpus, names=file)
    assert (named.panel.names, named.panel.ids) == (("1", "Ben"), ("first",))
    file.write_text('{"annotators": {"2": 5}}')
    with pytest.raises(FormatError, match=r"names.json: names are \{"):
        agreement(corpus, names=file)
    file.write_text("1=Anna")
    with pytest.raises(FormatError, match=r"names.json: is not JSON"):
        agreement(corpus, names=file)
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        agreement(corpus, names=tmp_path / "nothing.json")


def test_a_consensus_becomes_part_of_the_results() -> None:
    report = agreement(bundled("moonstone"), resamples=20)
    agreed = report.consensus(0.5, near=True)
    facts = report.results().agreement
    assert facts is not None
    assert facts.consensus is not None
    assert (facts.consensus.threshold, facts.consensus.near) == (0.5, True)
    first = next(iter(agreed))
    assert first.segmentation is not None
    assert facts.consensus.boundaries[first.id] == list(first.segmentation.boundaries)
