"""The sentences of `agree`, on cases with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.evaluation.agree import agreement
from caesura.segmentation import Segmentation

S = Segmentation


def corpus(*documents: dict[str, tuple[int, ...]], unit: str = "unit", n: int = 20) -> Corpus:
    return Corpus(
        [
            Document(id=f"d{i}", n_units=n, unit=unit, annotations={k: S(n, v, unit=unit) for k, v in people.items()})
            for i, people in enumerate(documents, start=1)
        ]
    )


def noise(rates: dict[str, float], shared: float, documents: int = 30, n: int = 60) -> Corpus:
    rng = np.random.default_rng(1)
    made = []
    for _ in range(documents):
        base = set((np.flatnonzero(rng.random(n - 1) < shared) + 1).tolist())
        made.append(
            {
                name: tuple(sorted(base | set((np.flatnonzero(rng.random(n - 1) < rate) + 1).tolist())))
                for name, rate in rates.items()
            }
        )
    return corpus(*made, n=n)


def test_people_who_agree() -> None:
    first, second, *rest = agreement(noise({"a": 0.01, "b": 0.01, "c": 0.01}, 0.15)).answer()
    assert first.startswith(
        "The annotators agree beyond chance, and the agreement is almost perfect on the scale of Landis"
    )
    assert "on 30 documents" in first
    assert "few" not in first
    assert second.startswith("Observed agreement per gap is 98 %, expected by chance 7")
    assert any(
        sentence.startswith("No annotator is shown to be an outlier (median: one segment per ") for sentence in rest
    )


def test_noise_is_not_shown_to_agree() -> None:
    first, _, *rest = agreement(noise({"a": 0.15, "b": 0.15, "c": 0.15}, 0.0)).answer()
    assert first.startswith("The annotators are not shown to agree beyond chance: FleissKappa is ")
    assert any(sentence.startswith("No annotator is shown to be an outlier (median: ") for sentence in rest)
    assert rest[-1].startswith("Next: settle the ")


def test_someone_who_cuts_often() -> None:
    sentences = agreement(noise({"a": 0.01, "b": 0.01, "c": 0.01, "often": 0.3}, 0.1)).answer()
    apart = sentences[2]
    assert apart.startswith(
        "Compared with the median annotator (one segment per 8.3 units; often 2.6, c 8.5) often marks far more boundaries ("
    )
    assert "often agrees less with the others (B 0." in apart
    assert "; without often, kappa is 0." in apart
    assert sentences[-1] == ("Next: agree how coarse a segment is, or leave them out (--exclude often).")


def test_granularity_alone() -> None:
    people = {"x": (4, 8, 12), "y": (4, 8, 12, 16), "z": (4, 8, 12)}
    sentences = agreement(corpus(*[people] * 4)).answer()
    assert "67 % differ only in granularity (one has further boundaries) and 33 % not at all" in sentences[3]
    assert sentences[-1].startswith("Next: say in the guidelines how coarse a segment is")
    assert "4 documents, few for an interval" in sentences[0]


def test_one_document_is_open() -> None:
    first = agreement(corpus({"x": (5,), "y": (5, 9)})).answer()[0]
    assert "on 1 document, which is too few for an interval" in first


def test_worse_than_chance() -> None:
    people = {"x": tuple(range(1, 20, 2)), "y": tuple(range(2, 20, 2))}
    first, second, *_ = agreement(corpus(*[people] * 12)).answer()
    assert first.startswith("The annotators agree less than chance would: FleissKappa is -1.000")
    assert " is 0 %, expected by chance 50 %; " in second
    # Every gap lies within two units of a boundary: near misses say nothing there.
    assert second.endswith("(by chance 100 %, at the same gap 0 %).")


@pytest.mark.parametrize("gaps", [(), (3,)])
def test_nothing_to_part_over(gaps: tuple[int, ...]) -> None:
    sentences = agreement(corpus(*[{"x": gaps, "y": gaps, "z": gaps}] * 12)).answer()
    if gaps:
        assert "almost perfect" in sentences[0]
    else:
        assert sentences[0].startswith("Agreement is not defined: ")
    assert not any(sentence.startswith(("Of ", "Next")) for sentence in sentences)


def test_time_is_not_judged_exactly() -> None:
    spoken = corpus(*[{"x": (3000,), "y": (3100,)}] * 12, unit="ms", n=9000)
    assert "people rarely mark exactly the same point" in agreement(spoken).answer()[1]
