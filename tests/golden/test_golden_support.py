"""Support of boundaries against an independent script."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.corpus import Corpus, Document
from caesura.evaluation.agree import agreement
from caesura.metrics.agreement._tables import pooled_window
from tests.golden.cells import Cell, cases, compare
from tests.golden.test_golden_agreement import annotators

NAMES = {"exact": "support_exact", "half": "support_half_window", "full": "support_full_window"}


def cells() -> Iterator[Cell]:
    for case in cases("boundary_support"):
        people, key, printed = annotators(case), case["id"], case["expected"]
        n_units = next(iter(people.values())).n_units
        report = agreement(Corpus([Document(id="d", n_units=n_units, annotations=people)]))
        assert [item.gap for item in report.support] == printed["positions"]
        yield Cell(f"{key} window", float(pooled_window(report.panel)[0]), printed["window_size"])
        for ours, theirs in NAMES.items():
            assert len(printed[theirs]) == len(report.support)
            for item, value in zip(report.support, printed[theirs], strict=True):
                yield Cell(f"{key} {ours} {item.gap}", getattr(item, ours), value)


def test_boundary_support() -> None:
    candidates = sum(len(case["expected"]["positions"]) for case in cases("boundary_support"))
    compare(cells(), {}, count=34 + 3 * candidates)
    assert candidates > 400
