# SPDX-License-Identifier: Apache-2.0
"""One pair at the price of its loop: Pk takes a fortieth of its time as a batch of one document.

The job: a notebook, a reward or a search that calls ``metric(reference, hypothesis)`` pair by pair. On a busy machine a million pairs
took 4 s of process time, as batches they would have taken 200 s. `count_pair` is the whole of it. The counts it returns are a `Row`, whose columns are plain numbers, so that
`score` divides numbers and not arrays of one; `columns` and `either` do with both what NumPy does with arrays.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from caesura.batches.pairs import Pairs, check_comparable
from caesura.errors import MetricError
from caesura.kernels import Kernel, cells, kernel
from caesura.metrics.counting import Floats, OwnCounts
from caesura.segmentation import Segmentation, Spelled, segmentation_of

if TYPE_CHECKING:
    from caesura.metrics.base import PairwiseMetric

__all__ = ["Row", "columns", "count_pair", "counter", "either"]

_FEW = 91  # boundaries of a pair for which the work space is kept


class Row(NDArrayOperatorsMixin, tuple[float, ...]):
    """The counts of one pair, from which ``counts[..., i]`` is a number and not an array: ten times cheaper to score.

    In everything else it is the array of its counts.

    >>> row = Row([9.0, 4.0])
    >>> row[..., 0], row.sum().item(), (row * 2).tolist()
    (9.0, 13.0, [18.0, 8.0])
    """

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        try:
            every, place = key
            if every is ...:
                return tuple.__getitem__(self, place) if type(place) is int else self.__array__()[place]
        except (TypeError, ValueError):  # a key of another kind
            pass
        return self.__array__()[key]

    def __array__(self, dtype: None = None, copy: bool | None = None) -> Floats:
        return np.fromiter(self, np.float64, len(self))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        arrays = [each.__array__() if isinstance(each, Row) else each for each in inputs]
        return getattr(ufunc, method)(*arrays, **options)

    def __getattr__(self, name: str) -> object:
        return getattr(self.__array__(), name)


Counter = Callable[[Segmentation, Segmentation], Floats]


def columns(counts: Floats) -> Sequence[Floats]:
    """Return the columns of counts, ``counts[..., i]`` for each i."""
    if isinstance(counts, Row):
        return counts
    return cast(Sequence[Floats], np.moveaxis(counts, -1, 0))


def either(condition: npt.NDArray[np.bool_], yes: Floats | float, no: Floats | float) -> Floats:
    """Return `numpy.where`, or of one pair one of the two."""
    if isinstance(condition, (bool, np.bool_)):
        return cast(Floats, yes if condition else no)
    return np.where(condition, yes, no)


def count_pair(metric: PairwiseMetric, reference: Spelled, hypothesis: Spelled) -> Floats:
    """Return the counts of one pair: segmentations of the same units, or strings of 0 and 1."""
    if type(reference) is not Segmentation or type(hypothesis) is not Segmentation:
        reference = segmentation_of(reference, f"{metric.name()}: reference", MetricError)
        hypothesis = segmentation_of(hypothesis, f"{metric.name()}: hypothesis", MetricError)
    unit = reference._unit
    if reference._n_units != hypothesis._n_units or unit != hypothesis._unit:
        unit = check_comparable(reference, hypothesis)
    try:
        count: Counter = metric.__dict__["_counters"][unit]
    except KeyError:
        count = metric.__dict__.setdefault("_counters", _Counters())[unit] = _counter_of(metric, unit)
    return count(reference, hypothesis)


class _Counters(dict[str, Counter]):
    """How an object counts one pair, by unit: worked out once, and again after pickling."""

    def __reduce__(self) -> tuple[type[_Counters], tuple[()]]:
        return _Counters, ()


def _counter_of(metric: PairwiseMetric, unit: str) -> Counter:
    request = metric.request(unit)
    if isinstance(request, OwnCounts):
        return lambda *pair: np.asarray(metric.count(Pairs.of(*pair)), dtype=np.float64)[0]
    return counter(kernel(request.kernel), request.parameters, metric.places(request))


def counter(counting: Kernel, parameters: tuple[int, ...], places: Sequence[int]) -> Counter:
    """Return a function of two segmentations of the same units that returns the counts at some places of a kernel."""
    parameters = counting.checked(parameters)
    run, own = counting.run_one, _Own(len(counting.columns))
    # Of a single place `itemgetter` gives no row.
    pick = operator.itemgetter(*places) if len(places) > 1 else operator.itemgetter(slice(places[0], places[0] + 1))

    def count_batch(reference: Segmentation, hypothesis: Segmentation) -> Floats:
        table = counting.count(Pairs.of(reference, hypothesis), parameters)
        return Row(pick(table[0].tolist()))  # type: ignore[return-value]

    if run is None:
        return count_batch

    def count(reference: Segmentation, hypothesis: Segmentation) -> Floats:
        ref, hyp = reference._packed, hypothesis._packed
        table, read, scratch = own.room
        boundaries = len(ref) + len(hyp)
        if boundaries > _FEW:
            scratch = np.empty(cells(boundaries), dtype=np.int64)
        run(reference._n_units, ref, hyp, table, scratch, *parameters)
        return Row(pick(read()))  # type: ignore[return-value]  # a cast is a call, which one pair feels

    return count


class _Own(threading.local):
    """What each thread has of its own to count one pair: a table of one row, a reader of that row, and work space."""

    def __init__(self, width: int) -> None:
        table: Floats = np.empty((1, width))
        scratch: npt.NDArray[np.int64] = np.empty(cells(_FEW), dtype=np.int64)
        self.room = table, table[0].tolist, scratch
