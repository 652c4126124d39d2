"""The index of documents: the slices by length, and which system is looked at first."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.batches.flat import Flat
from caesura.evaluation.outcome import Corpora
from caesura.reports.page import documents as module
from caesura.reports.page.documents import index
from caesura.reports.page.sections import section


def _corpus(lengths):
    return cz.Corpus.from_segmentations(
        {f"d{at}": cz.Segmentation.from_masses([n - 1, 1]) for at, n in enumerate(lengths)}
    )


@pytest.mark.parametrize("lengths", [[5, 10, 10, 20, 20, 30, 40], list(range(10, 22)), [9, 9, 3, 7, 8, 2, 6, 4]])
def test_thirds_of_length_hold_the_documents_that_their_names_say(lengths):
    gold = _corpus(lengths)
    results = cz.evaluate(gold, {"same": gold}, metrics=["Pk"]).results(per_document=True)
    low, high = (int(edge) for edge in np.quantile(lengths, [1 / 3, 2 / 3]))
    assert low in lengths or high in lengths  # a document stands on an edge
    found = index(results, Corpora(gold, {"same": gold}), 0)["fields"]["length"]
    for n, name in zip(lengths, found, strict=True):
        if n <= low:
            assert name == f"1: up to {low} units"
        elif n <= high:
            assert name == f"2: {low + 1} to {high} units"
        else:
            assert name == f"3: more than {high} units"


def _evaluated(metrics):
    gold = cz.Corpus.from_segmentations({"d": cz.Segmentation.from_masses([5] * 6)})
    systems = {"few": [10, 20], "good": [5, 10, 15, 20, 26], "many": list(range(1, 30))}
    made = {
        name: cz.Corpus.from_segmentations({"d": cz.Segmentation.from_boundaries(30, places)})
        for name, places in systems.items()
    }
    return cz.evaluate(gold, made, metrics=metrics).results()


@pytest.mark.parametrize(
    ("metrics", "best"),
    [
        (["Pk", "W-F1"], "good"),  # by W-F1 where it is there
        (["Pk"], "good"),  # lower is better
        (["BOR"], "good"),  # nearest to 1: 0.4, 1 and 5.8
        (["BoundaryRecall", "BOR"], "many"),  # the first without an F1, higher is better
        (["BoundaryPrecision"], "few"),
    ],
)
def test_the_best_system_is_the_one_with_the_best_score(metrics, best):
    assert section("r", _evaluated(metrics), Corpora(), 0)["best"] == best


def test_a_system_without_the_score_is_not_the_best():
    results = _evaluated(["W-F1", "Pk"])
    systems = {name: dict(row) for name, row in results.systems.items()}
    systems["good"]["W-F1"] = msgspec.structs.replace(systems["good"]["W-F1"], score=None)
    assert section("r", msgspec.structs.replace(results, systems=systems), Corpora(), 0)["best"] == "many"


def test_the_index_of_many_documents_reads_none_of_them(monkeypatch):
    """The index comes from the arrays: one record for each document would take far longer than scoring them."""
    asked = []

    def details(row):
        asked.append(row)
        return {"units": tuple("abcd"), "speakers": tuple("ss" * (1 + row % 2) + "t" * (2 - 2 * (row % 2)))}

    made = [cz.Segmentation(4, places) for places in ((), (1,), (1, 3), (2,), (), (1, 2, 3), (3,))]
    ids = [f"d{row}" for row in range(len(made))]
    gold = cz.Corpus.from_flat(ids, Flat.from_segmentations(made), details=details)
    other = cz.Corpus.from_flat(ids[1:], Flat.from_segmentations([made[1], made[0], *made[3:]]))
    inputs = Corpora(gold, {"a": other, "b": gold}, (), {})
    lengths = module.lengths(inputs, "unit", reference=True)
    assert lengths["words"]["reference"] == [(1, 8), (2, 3), (3, 2), (4, 2)]
    assert sorted(mass for each in made for mass in each.masses) == sorted(module._masses(gold).tolist())
    assert module._alike(ids, inputs) == [[-1, 0], [0, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]]
    assert module._alike(ids, Corpora(gold, {}, (), {})) == [[]] * 7
    assert asked
    asked.clear()
    monkeypatch.setattr(module, "_MOST_READ", 5)
    assert module.lengths(inputs, "unit", reference=True)["sides"] == lengths["sides"]
    module._fields(ids, inputs)
    assert asked == []
