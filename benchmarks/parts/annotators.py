# SPDX-License-Identifier: Apache-2.0
"""Goals 10 and 21: agreement of annotators, against segeval, and how every path grows with what is annotated."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contest import LARGEST_DIFFERENCE
from benchmarks.parts.growth import slope
from benchmarks.results import Part, Ratio, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import cpu_seconds, interleave
from caesura.batches.flat import Flat
from caesura.batches.panel import Panel, PanelPairs
from caesura.corpus import Corpus, Document
from caesura.evaluation.agree import agreement
from caesura.evaluation.evaluate.run import evaluate
from caesura.metrics import metric
from caesura.metrics.agreement import AgreementMetric, PanelMetric
from caesura.results import as_text
from caesura.segmentation import Segmentation

__all__ = ["measure"]

TEXT = "20 documents x 6 annotators, all coefficients, times faster than segeval's four"
COEFFICIENTS = (
    "FleissKappa",
    "MultiKappa",
    "KrippendorffAlpha",
    "AgreementB",
    "AgreementB(kappa=True)",
    "AgreementS",
    "AgreementS(kappa=True)",
)
ANNOTATORS = (4, 8, 16, 32, 64, 128)
UNITS = 100
MANY = (200, 500)  # annotators, documents
GROWTH: dict[str, tuple[tuple[int, ...], float]] = {
    "documents": ((100, 200, 400, 800), 1.1),
    "units": ((400, 800, 1600, 3200), 1.1),
    "annotators": ((8, 16, 32, 64), 2.0),
}
"""What grows, and the steepest slope; documents have 4 annotators and 100 units unless they grow."""


def _corpus(documents: int, annotators: int, seed: int, units: int = UNITS) -> Corpus:
    """Make documents whose annotators keep most of one segmentation and move or add the rest."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(documents):
        base = np.flatnonzero(rng.random(units - 1) < 1 / 8) + 1
        codings = {}
        for annotator in range(annotators):
            kept = base[rng.random(len(base)) < 0.7]
            moved = np.clip(kept + rng.integers(-1, 2, len(kept)), 1, units - 1)
            noise = np.flatnonzero(rng.random(units - 1) < 0.02) + 1
            codings[f"a{annotator}"] = Segmentation(units, np.unique(np.concatenate([moved, noise])))
        made.append(Document(id=f"d{number}", n_units=units, annotations=codings))
    return Corpus(made)


def _panel(documents: int, annotators: int, seed: int) -> Panel:
    return Panel.from_corpus(_corpus(documents, annotators, seed))


def measure(settings: Settings) -> Part:
    """Time the coefficients against segeval, and Fleiss and MultiWindowDiff for growing numbers of annotators."""
    part = Part(
        "annotators",
        "Annotators",
        notes=[
            f"Seeded documents of {UNITS} units. Against segeval: its pi and kappa over B and S, document by document; "
            "ours are these four and three coefficients over gaps besides.",
            f"Growth: 20 documents with {', '.join(map(str, ANNOTATORS))} annotators.",
            "Whole calls: everything that `caesura agree` prints, with every annotator left out in turn; the consensus with near misses "
            "joined; contested gaps and support of boundaries alone; `--plan-width`; and the scores of one system among the annotators, "
            "weighted by prominence too.",
        ],
    )
    _against_segeval(part, settings)
    _growth(part, settings)
    _whole_calls(part, settings)
    if not settings.quick:
        annotators, documents = MANY
        corpus = _corpus(documents, annotators, settings.seed)
        name = f"agree: CPU seconds, {annotators} annotators x {documents} documents"
        kept: list[Any] = []
        seconds = part.numbers[name] = cpu_seconds(lambda: kept.append(_agree(corpus)))
        part.numbers["agree: bytes of its results file"] = len(as_text(kept[0]))
        text = f"agree, {annotators} annotators x {documents} documents, in minutes of CPU time"
        part.goal(21, text, "<=", 1.0, Ratio(seconds / 60, seconds / 60, seconds / 60))
    return part


def _ours(panel: Panel) -> dict[str, Any]:
    # A panel remembers its tables, so each call gets one that remembers nothing.
    panel = dataclasses.replace(panel)
    found = {}
    for name in COEFFICIENTS:
        chosen: AgreementMetric = metric(name)
        found[name] = chosen.score(chosen.count(panel))
    return found


def _theirs(datasets: list[Any]) -> dict[str, list[float]]:
    import segeval

    similarities = {"B": segeval.boundary_similarity, "S": segeval.segmentation_similarity}
    found: dict[str, list[float]] = {}
    for letter, compare in similarities.items():
        for name, coefficient in (
            (f"Agreement{letter}", segeval.fleiss_pi_linear),
            (f"Agreement{letter}(kappa=True)", segeval.fleiss_kappa_linear),
        ):
            found[name] = [float(coefficient(dataset, fnc_compare=compare)) for dataset in datasets]
    return found


def _against_segeval(part: Part, settings: Settings) -> None:
    try:
        from segeval.data import Dataset
    except ImportError:
        part.skipped[TEXT] = "segeval is not installed"
        part.goal(10, TEXT, ">=", 100.0, None, part.skipped[TEXT])
        return
    panel = _panel(20, 6, settings.seed)
    datasets = []
    for row in range(len(panel)):
        masses = {name: list(coding.masses) for name, coding in panel.of_document(row).items()}
        datasets.append(Dataset({"d": masses}))
    ours, theirs = _ours(panel), _theirs(datasets)
    largest = max(float(np.abs(ours[name] - np.array(values)).max()) for name, values in theirs.items())
    if not largest <= LARGEST_DIFFERENCE:
        part.mismatches[TEXT] = f"coefficients differ by up to {largest:.3g}"
        part.goal(10, TEXT, ">=", 100.0, None, part.mismatches[TEXT])
        return
    part.agreement.append({"task": "coefficients", "peer": "segeval", "documents": 20, "largest_difference": largest})
    works = {"coefficients: caesura": lambda: _ours(panel), "coefficients: segeval": lambda: _theirs(datasets)}
    part.rounds.update(interleave(works, settings.slow_rounds, settings.shortest))
    reached = ratio_of(part.rounds["coefficients: segeval"], part.rounds["coefficients: caesura"])
    part.goal(10, TEXT, ">=", 100.0, reached)


def _growth(part: Part, settings: Settings) -> None:
    panels = {number: _panel(20, number, settings.seed) for number in ANNOTATORS}
    for name, work in (("FleissKappa", _fleiss), ("MultiWindowDiff", _multi)):
        works = {f"{name}, {number} annotators": functools.partial(work, p) for number, p in panels.items()}
        times = interleave(works, settings.slow_rounds, settings.shortest)
        part.rounds.update(times)
        each = [slope(ANNOTATORS, list(turn)) for turn in zip(*times.values(), strict=True)]
        middle = sorted(each)[len(each) // 2]
        text = f"log-log slope of {name} over the number of annotators"
        part.goal(10, text, "<=", 1.1, Ratio(middle, min(each), max(each)), kind="slope")


def _whole_calls(part: Part, settings: Settings) -> None:
    """Time whole calls while one thing grows at a time."""
    for what, (sizes, limit) in GROWTH.items():
        corpora = {
            size: _corpus(
                size if what == "documents" else 20,
                size if what == "annotators" else 4,
                settings.seed,
                size if what == "units" else UNITS,
            )
            for size in sizes
        }
        for name, work in WHOLE_CALLS.items():
            works = {f"{name}, {size} {what}": functools.partial(work, c) for size, c in corpora.items()}
            times = interleave(works, settings.slow_rounds, settings.shortest)
            part.rounds.update(times)
            each = [slope(sizes, list(turn)) for turn in zip(*times.values(), strict=True)]
            middle = sorted(each)[len(each) // 2]
            reached = Ratio(middle, min(each), max(each))
            part.goal(21, f"log-log slope of {name} over {what}", "<=", limit, reached, kind="slope")


def _agree(corpus: Corpus) -> Any:
    return agreement(corpus).results()


def _among(corpus: Corpus) -> Any:
    first = {document.id: next(iter(document.annotations.values())) for document in corpus}
    return evaluate(corpus, {"first": first}, against="annotators").results()


WHOLE_CALLS: dict[str, Callable[[Corpus], Any]] = {
    "agree": _agree,
    "agree --consensus --near": lambda corpus: agreement(corpus).consensus(0.5, near=True),
    "contested gaps": lambda corpus: agreement(corpus).contested,
    "support of boundaries": lambda corpus: agreement(corpus).support,
    "agree --plan-width": lambda corpus: agreement(corpus).plan(0.1),
    "evaluate --against annotators": _among,
}


def _fleiss(panel: Panel) -> Any:
    chosen: AgreementMetric = metric("FleissKappa")
    panel = dataclasses.replace(panel)
    return chosen.score(chosen.count(panel))


def _multi(panel: Panel) -> Any:
    chosen: PanelMetric = metric("MultiWindowDiff")
    first = panel.doc_ptr[:-1]
    hypothesis: Flat = panel.codings.take(first)
    return chosen.score(chosen.count(PanelPairs(panel, hypothesis)))
