# SPDX-License-Identifier: Apache-2.0
"""Figures 2 and 3: scaled losses over the levels of two damages, on the available corpora."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus
from caesura.datasets import dataset
from caesura.encoders import embed, source
from caesura.errors import CaesuraWarning
from caesura.evaluation.correlate.coefficients import pearson
from caesura.evaluation.degrade import Degradation
from caesura.evaluation.degrade.removal import Removal
from caesura.evaluation.degrade.transposition import Transposition
from caesura.evaluation.validate.curves import Curves, degradation_curves
from caesura.formats import load
from caesura.results.reproduce.facts import Erratum
from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["fig2", "fig3"]

NEEDS = "WikiSection in Portuguese and QMSum"
_LEVELS = range(10)
_DOCUMENTS = 60
"""The number of documents of each corpus, so that the figures take about a minute."""
_FREE = {"SegReFree": "SegReFree", "Silhouette": "Silhouette", "ARP": "ARPpair"}
_REFERENCES = ("Pk", "WindowDiff", "B")
_EMPTIED = "documents emptied"
_DRAWS = 5
_FEWEST = 10
"""Documents with enough boundaries, below which no curve of them is drawn."""


class _Source(NamedTuple):
    """A corpus: one file of documents, or the dataset in its original files."""

    single: str
    folder: str
    dataset: str


_SOURCES = {
    "disease (Portuguese)": _Source(
        "wikisection_pt/wikisection_pt_disease_test_shared500.jsonl.gz", "wikisection_pt", "WikiSection"
    ),
    "city (Portuguese)": _Source(
        "wikisection_pt/wikisection_pt_city_val_first300.jsonl.gz", "wikisection_pt", "WikiSection(split='validation')"
    ),
    "QMSum": _Source("qmsum/qmsum_test_academic_product.jsonl.gz", "qmsum", "QMSum"),
}


@item("Fig2", "Boundaries removed: scaled losses, and documents that have no boundary left", needs=NEEDS)
def fig2(printed: Printed, data: Data) -> Iterator[Found]:
    """Draw the curves with the share of emptied documents, and again for documents with enough boundaries."""
    equal: list[float] = []
    apart: dict[str, dict[str, tuple[float, float]]] = {}
    for name in _SOURCES:
        found = _curves(data.folder, name, _removal)
        yield from _points(name, found)
        scaled = (found.emptied - found.emptied.min()) / np.ptp(found.emptied)
        for level, value, count in zip(found.levels, scaled.tolist(), found.emptied.tolist(), strict=True):
            note = f"{count:.0f} of {found.documents} documents have no boundary left; scaled as the losses"
            yield Value(f"{name} | {_EMPTIED}", f"{level}", value, note=note)
        for row, text in _FREE.items():
            same = float(pearson(found.scaled(_worst(text))[None], scaled[None])[0])
            equal += [same] if row != "SegReFree" else []
            column = "correlation with the share of documents emptied"
            yield Value(f"{name} | {row}", column, same, note="Pearson correlation over the levels")
        some, every = (
            _with_boundaries(_embedded(data.folder, name, many), max(_LEVELS) + 1) for many in (_DOCUMENTS, None)
        )
        if len(some) < _FEWEST:
            continue
        whole, part = (_scored(batch, _removal, _DRAWS) for batch in (every, some))
        place = f"{name}, ten boundaries or more"
        yield from _points(place, whole)
        apart[name] = {row: (whole.pearson(_worst(t), "Pk"), part.pearson(_worst(t), "Pk")) for row, t in _FREE.items()}
        for row, (all_of_them, few) in apart[name].items():
            note = (
                f"over the levels, {len(every)} documents, none of them emptied, {_DRAWS} draws; {few:.2f} on the {len(some)} of them among "
                f"the {_DOCUMENTS} documents of the figure"
            )
            yield Value(f"{place} | {row}", "correlation with Pk", all_of_them, note=note)
    yield _share_of_empty(min(equal), apart)


def _removal(level: int) -> Degradation:
    return Removal(count=level)


def _share_of_empty(equal: float, apart: dict[str, dict[str, tuple[float, float]]]) -> Erratum:
    """Return what the curves of Figure 2 show."""

    def listed(place: int) -> str:
        return "; ".join(
            f"{name}: {', '.join(f'{row} {values[place]:.2f}' for row, values in rows.items())}"
            for name, rows in apart.items()
        )

    return finding(
        "Figure 2 and section 6.2",
        "As boundaries are removed, the losses of the reference-free metrics rise like those of the metrics with a reference.",
        "Half of the documents have five boundaries or fewer, and up to nine are removed. A document without a boundary gets the worst "
        "score whatever its text, as in the released program, and the curves of ARP and Silhouette are the share of such documents: they "
        f"correlate with it at {math.floor(1e4 * equal) / 1e4:.4f} or more on every corpus. None is emptied of the documents with ten "
        f"boundaries or more; there the correlations with Pk over the levels are: {listed(0)}. On those among the {_DOCUMENTS} documents of "
        f"the figure, too few for it, they are: {listed(1)}.",
    )


@item("Fig3", "All boundaries moved: scaled losses", needs=NEEDS)
def fig3(printed: Printed, data: Data) -> Iterator[Found]:
    """Draw the curves, and test that ARP is closer to boundary similarity than the silhouette, except on QMSum."""
    for name in _SOURCES:
        found = _curves(data.folder, name, lambda level: Transposition(distance=level, which="all"))
        yield from _points(name, found)
        arp, silhouette = (found.pearson(_worst(_FREE[row]), "B") for row in ("ARP", "Silhouette"))
        yield Value(
            f"{name} | ARP", "correlation with B over levels", arp,
            note=f"silhouette {silhouette:.3f}; the paper finds ARP nearer to boundary similarity",
            holds=None if name == "QMSum" else arp >= silhouette,
        )  # fmt: skip


def _points(name: str, found: Curves) -> Iterator[Value]:
    texts = {**{row: _worst(text) for row, text in _FREE.items()}, **{text: text for text in _REFERENCES}}
    for row, text in texts.items():
        for level, value in zip(found.levels, found.scaled(text).tolist(), strict=True):
            note = "shipped encoder; the paper draws it for MPNet, without a number"
            yield Value(f"{name} | {row}", f"{level}", value, note=note)


def _worst(text: str) -> str:
    """Return a metric under which a document without boundaries has the worst score, as in the paper's program."""
    return f"{text}(on_single='worst')"


def _curves(folder: Path, name: str, damage: Callable[[int], Degradation]) -> Curves:
    return _scored(_embedded(folder, name, _DOCUMENTS), damage)


def _scored(batch: Embedded, damage: Callable[[int], Degradation], draws: int = 1) -> Curves:
    free = [_worst(text) for text in _FREE.values()]
    return degradation_curves(batch, damage, _LEVELS, free, _REFERENCES, draws=draws)


def _with_boundaries(batch: Embedded, fewest: int) -> Embedded:
    """Return the documents with so many boundaries or more."""
    rows = [row for row, size in enumerate(np.diff(batch.segmentations.ptr)) if size >= fewest]
    return Embedded.of(
        {batch.ids[row]: batch.segmentation(row) for row in rows},
        {batch.ids[row]: batch.vectors_of(row) for row in rows},
    )


@functools.lru_cache(maxsize=8)
def _embedded(folder: Path, name: str, documents: int | None) -> Embedded:
    corpus = _read(Data(folder), _SOURCES[name])
    usable = [key for key, size in zip(corpus.ids, np.diff(corpus.flat.ptr), strict=True) if size]
    corpus = corpus.subset(usable[:documents])
    vectors = embed(corpus, source("default"))
    return Embedded.of({key: corpus.segmentation(row) for row, key in enumerate(corpus.ids)}, vectors)


def _read(data: Data, where: _Source) -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaesuraWarning)  # warnings of the loaders about omissions
        single = data.folder / where.single
        return load(single) if single.exists() else dataset(where.dataset, data.path(where.folder))
