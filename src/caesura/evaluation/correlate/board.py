# SPDX-License-Identifier: Apache-2.0
"""A metric of one's own on a board: how it agrees with metrics that have a reference, on outputs of systems that are published.

The outputs come from packages with an entry point of the group ``caesura.boards``: a function that takes the folder of the data and
yields corpora, each with its documents and the segmentations of its systems.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import itertools
import math
import operator
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus
from caesura.datasets.folders import data_folder
from caesura.errors import ComparabilityError, FormatError, MetricError
from caesura.evaluation.correlate.coefficients import Read
from caesura.evaluation.correlate.run import Correlation, correlate
from caesura.foreign import current_folder, foreign_code
from caesura.metrics.base import ANY_DAMAGE, Floats, MetricCard, ratio
from caesura.metrics.cohesion import CohesionMetric
from caesura.results import Ends
from caesura.segmentation import Segmentation
from caesura.statistics.bootstrap import Bootstrap
from caesura.statistics.permutation import holm
from caesura.table import Column, Table, Value

if TYPE_CHECKING:
    from caesura.encoders import Cache

__all__ = ["BOARDS", "PUBLISHED", "Board", "BoardCorpus", "board", "own_metric"]

BOARDS = "caesura.boards"
"""The group of entry points that yield the corpora of a board."""
PUBLISHED = ("SegReFree", "Silhouette", "ARPstd", "ARPcos", "ARPpair")
"""The metrics without a reference of Table 1 of Ghinassi et al. 2024."""
_REFERENCES = ("Pk", "WindowDiff", "B")
_READINGS = {"systems only": "systems only", "density removed": "+ log BOR held"}
_TAKES = ("segmentation", "units", "vectors")
_LEVEL = 0.05
_MARKS = {"more": " +", "less": " -"}
_FEWEST_RESAMPLES = math.ceil(2 * len(PUBLISHED) * len(_REFERENCES) / _LEVEL)
"""With fewer, no difference could be shown: the least p-value, times the comparisons of a reading, is above the level."""


class BoardCorpus(NamedTuple):
    """The documents of a corpus with texts and boundaries, and the segmentations of each system; ``lacks`` says what is not there."""

    name: str
    gold: Corpus | None
    systems: Mapping[str, Mapping[str, Segmentation]]
    lacks: str = ""


@dataclasses.dataclass(frozen=True)
class _Own(CohesionMetric):
    """A function of a segmentation, and of the units or vectors of its document; higher is better."""

    called: str
    function: Callable[..., float]
    takes: tuple[str, ...]

    card = MetricCard(
        title="a metric of yours", formula="as the function returns", direction="higher", bounds=(-math.inf, math.inf),
        perfect=math.inf, symmetric=False, blind_to=ANY_DAMAGE,
    )  # fmt: skip
    columns = ("total", "weight")
    undefined = "the function returned NaN"

    def __str__(self) -> str:
        return self.called

    @property
    def reads_vectors(self) -> bool:
        """Whether the function takes vectors."""
        return "vectors" in self.takes

    def count(self, batch: Embedded) -> Floats:
        """Return the value of each document, and whether it has one."""
        rows = []
        for row, key in enumerate(batch.ids):
            given: dict[str, object] = {"segmentation": batch.segmentation(row)}
            if "units" in self.takes:
                given["units"] = list(batch.texts_of(row, self.called))
            if "vectors" in self.takes:
                given["vectors"] = batch.vectors_of(row)
            where = f"{self.called}: document {key!r}"
            with foreign_code(where, "repair the function", MetricError), current_folder():
                value = float(self.function(**given))
            if math.isinf(value):
                raise MetricError(f"{where} has the value {value}; return a finite number, or NaN where there is none")
            rows.append((0.0, 0.0) if math.isnan(value) else (value, 1.0))
        return np.array(rows, dtype=np.float64).reshape(-1, 2)

    def score(self, counts: Floats) -> Floats:
        """Return the value of each document."""
        return ratio(counts[..., 0], counts[..., 1])


def own_metric(text: str) -> tuple[str, CohesionMetric]:
    """Return the name and the metric of ``NAME=module:attribute``.

    The attribute is a metric without a reference of this library (or a class of one), or a function with the parameter
    ``segmentation``, and ``units`` (texts) or ``vectors`` if it reads them, that returns a number: higher is better, NaN is not defined.
    """
    name, _, target = text.rpartition("=")
    module, _, attribute = target.partition(":")
    if not module or not attribute:
        raise MetricError(f"{text!r} is no metric of yours; write NAME=module:attribute")
    name = name.strip() or attribute
    if name in (*PUBLISHED, *_REFERENCES, "BOR"):
        raise MetricError(f"a metric of yours is named {name!r}, as a published one; give it another name")
    with foreign_code(f"{target}: the module {module} cannot be imported", "repair it", MetricError), current_folder():
        imported = importlib.import_module(module)
    try:
        found = operator.attrgetter(attribute)(imported)
    except AttributeError:
        raise MetricError(f"{target}: the module {module} has no {attribute}; check the name") from None
    if isinstance(found, type) and issubclass(found, CohesionMetric):
        found = found()
    if isinstance(found, CohesionMetric):
        return name, found
    if not callable(found):
        raise MetricError(
            f"{target} is a {type(found).__name__}; it must be a function, or a metric without a reference"
        )
    try:
        takes = tuple(
            p.name for p in inspect.signature(found).parameters.values() if p.default is p.empty or p.name in _TAKES
        )
    except (TypeError, ValueError):
        takes = ()
    if "segmentation" not in takes or set(takes) - set(_TAKES):
        raise MetricError(
            f"{target} takes {', '.join(takes) or 'nothing'}; its parameters must be 'segmentation', and 'units' or 'vectors' if it reads them"
        )
    return name, _Own(name, found, takes)


class _Cell(NamedTuple):
    """A correlation with a reference metric; ``own`` says whether the own metric is shown to agree "more" or "less", "-" if neither."""

    corpus: str
    reading: str
    metric: str
    systems: int
    value: float | None
    interval: Ends
    own: str

    def text(self) -> str:
        """Return the correlation with its interval and a mark."""
        if self.value is None:
            return "-"
        low, high = self.interval
        ends = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
        return f"{self.value:.2f}{ends}{_MARKS.get(self.own, '')}"


@dataclasses.dataclass(frozen=True)
class Board:
    """How a metric agrees with metrics that have a reference, corpus by corpus, and which published metrics it beats."""

    name: str
    metric: str
    correlations: Mapping[str, Correlation]
    lacking: tuple[str, ...]

    def sentences(self) -> tuple[str, ...]:
        """Return the mean correlation of each metric in each reading, and how often the own one is shown to agree more or less."""
        made = list(self._cells())
        said = []
        for reading, shown in _READINGS.items():
            means = {
                metric: statistics.fmean(values)
                for metric in dict.fromkeys(cell.metric for cell in made)
                if (
                    values := [
                        c.value for c in made if (c.metric, c.reading) == (metric, reading) and c.value is not None
                    ]
                )
            }
            own = means.pop(self.name, None)
            others = ", ".join(f"{metric} {mean:.2f}" for metric, mean in means.items())
            said.append(
                f"{shown}: {self.name} has a mean correlation of {'none' if own is None else f'{own:.2f}'} with "
                f"Pk, WindowDiff and B (corpora: {len(self.correlations)}); {others}."
            )
        tested = [cell.own for cell in made if cell.own]
        said.append(
            f"Of {len(tested)} comparisons with a published metric, it is shown to agree more in {tested.count('more')} and less in "
            f"{tested.count('less')}."
        )
        return tuple(f"{each[0].upper()}{each[1:]}" for each in said)

    def table(self, *, text: bool = True) -> Table:
        """Return Pearson's correlations over the systems, with the published metrics below the own one.

        Beside each published one stands whether the own one agrees more or less, where that is shown; as ``text`` in the cell itself.
        """
        by_row: dict[tuple[str, str, str, int], list[_Cell]] = {}
        for cell in self._cells():
            by_row.setdefault((cell.corpus, _READINGS[cell.reading], cell.metric, cell.systems), []).append(cell)
        columns = [Column("corpus"), Column("reading"), Column("metric"), Column("n", digits=0)]
        for name in _REFERENCES:
            typed = [Column(name, digits=4), Column(name, style="interval"), Column(f"own agrees by {name}")]
            columns += [Column(name)] if text else typed
        rows: list[list[Value]] = [
            [
                *key,
                *(
                    value
                    for cell in cells
                    for value in ([cell.text()] if text else [cell.value, cell.interval, cell.own])
                ),
            ]
            for key, cells in by_row.items()
        ]
        return Table(columns, rows, notes=list(self._notes()))

    def _cells(self) -> Iterator[_Cell]:
        for corpus, outcome in self.correlations.items():
            drawn = outcome.resampling
            bootstrap = Bootstrap(len(outcome.evaluation.documents), drawn.resamples, drawn.seed)
            for spec, reading in itertools.product(outcome.cohesions, _READINGS):
                read = {
                    (each.row.metric, each.row.reference): each
                    for each in outcome.read
                    if (each.row.encoder, each.row.reading) == (spec, reading)
                }
                tested = self._tested(read, bootstrap)
                where = f"{corpus}, {spec}" if len(outcome.cohesions) > 1 else corpus
                for (metric, reference), each in read.items():
                    called = self.name if metric == self.metric else metric
                    found = each.row.pearson
                    own = tested.get((metric, reference), "")
                    yield _Cell(where, reading, called, each.row.systems, found.value, found.interval, own)

    def _tested(self, read: Mapping[tuple[str, str], Read], bootstrap: Bootstrap) -> dict[tuple[str, str], str]:
        """Return which published metrics agree less or more than the own one, by Holm over all of them."""
        apart = {
            (metric, reference): read[self.metric, reference].values["pearson"] - each.values["pearson"]
            for (metric, reference), each in read.items()
            if metric != self.metric
        }
        values = holm([bootstrap.p_value(drawn[1:]) for drawn in apart.values()])
        return {
            place: ("more" if drawn[0] > 0 else "less") if p < _LEVEL else "-"
            for (place, drawn), p in zip(apart.items(), values, strict=True)
        }

    def _notes(self) -> Iterable[str]:
        yield "Pearson's correlation over n trained systems, without gold and random ones; all metrics turned so that higher is better"
        yield "+ log BOR held: the logarithm of boundaries per reference boundary held constant"
        yield (
            f"+, -: {self.name} agrees more, less than this metric, p < {_LEVEL} on resampled documents, Holm over the comparisons of a corpus "
            "and reading"
        )
        yield "intervals resample documents, not systems: they say nothing about other systems"
        yield "three of the systems were trained on the vectors of each of default, minilm and mpnet; a metric that reads these overrates them"
        yield from (f"left out: {line}" for line in self.lacking)


def board(
    text: str,
    *,
    encoders: Sequence[str] = ("default",),
    resamples: int = 1000,
    seed: int = 0,
    data: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    cache: Cache | bool | None = None,
    allow_download: bool = False,
) -> Board:
    """Correlate a metric of one's own with Pk, WindowDiff and B over published systems, beside the published metrics.

    Parameters
    ----------
    text : str
        ``NAME=module:attribute`` of the metric, as `own_metric` reads it.
    encoders : sequence of str
        The encoders whose vectors the metrics read.
    resamples, seed : int
        Bootstrap resamples of the documents.
    data : path, optional
        The folder of the corpora; the one that ``CAESURA_DATA`` names if not given.
    progress : callable, optional
        Called while documents are encoded.
    cache, allow_download
        Of encoders, as in `caesura.cohesion`.
    """
    if resamples < _FEWEST_RESAMPLES:
        raise ComparabilityError(
            f"a board needs {_FEWEST_RESAMPLES} resamples or more, and {resamples} were given; with fewer no difference can be shown"
        )
    name, own = own_metric(text)
    if str(own) in PUBLISHED:
        raise MetricError(
            f"{text} is {own}, which is on the board already; name another metric, or one with other parameters"
        )
    points = list(entry_points(group=BOARDS))
    if not points:
        raise FormatError(
            "no package here has outputs of systems for a board; install that of the reproductions: pip install ./reproductions in a clone"
        )
    folder = data_folder(data)
    if folder is None:
        raise FormatError(
            "a board reads the texts of its corpora, which are not shipped; set CAESURA_DATA to their folder"
        )
    correlations: dict[str, Correlation] = {}
    lacking: list[str] = []
    for point in points:
        with foreign_code(f"the board {point.name} cannot be loaded", "repair or uninstall its package", FormatError):
            corpora: Callable[[Path], Iterable[BoardCorpus]] = point.load()
        for corpus in corpora(folder):
            if corpus.gold is None:
                lacking.append(f"{corpus.name}, {corpus.lacks}")
                continue
            correlations[corpus.name] = correlate(
                corpus.gold, corpus.systems, [own, *PUBLISHED, *_REFERENCES], encoders=encoders, resamples=resamples, seed=seed,
                check=False, progress=progress,
                cache=cache, allow_download=allow_download,
            )  # fmt: skip
    if not correlations:
        raise FormatError(f"no corpus of the board is there ({'; '.join(lacking)})", folder)
    return Board(name, str(own), correlations, tuple(lacking))
