# SPDX-License-Identifier: Apache-2.0
"""What a metric asks to be counted, and how it is counted: by a kernel, or by the metric itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.errors import DeclarationError, MetricError, reason
from caesura.kernels import Counts, count_blocks, run_kernels
from caesura.kernels import kernel as _kernel

if TYPE_CHECKING:
    from caesura.kernels import Kernel
    from caesura.metrics.base import PairwiseMetric

__all__ = ["Floats", "OwnCounts", "Request", "count_in_blocks", "count_requests"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, init=False)
class Request:
    """Counts that a metric needs: a kernel and its parameters by name. Equal requests are counted once.

    >>> str(Request("boundaries", tolerance=1, high=5)), Request("pk").columns
    ('boundaries(1,0,5)', ('k', 'windows', 'errors'))
    """

    kernel: str
    parameters: tuple[int, ...]

    def __init__(self, kernel: str, /, **parameters: int) -> None:
        object.__setattr__(self, "kernel", kernel)
        object.__setattr__(self, "parameters", _kernel(kernel).arranged(parameters))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns of the table."""
        return _kernel(self.kernel).columns

    def places(self, names: Iterable[str]) -> list[int]:
        """Return where columns stand in the table.

        >>> Request("boundaries").places(("n_ref", "matched"))
        [0, 4]
        """
        try:
            return [self.columns.index(name) for name in names]
        except ValueError:
            absent = next(name for name in names if name not in self.columns)
            raise DeclarationError(
                f"kernel {self.kernel!r} has no column {absent!r}; it has {', '.join(self.columns)}"
            ) from None

    def count(self, pairs: Pairs, *, threads: int = 1, out: Floats | None = None) -> Floats:
        """Return the whole table, one row per document; in ``out``, if a table of that shape is given."""
        return _kernel(self.kernel).count(pairs, self.parameters, threads=threads, out=out)

    def __str__(self) -> str:
        """Return the name of the table in the results file."""
        return f"{self.kernel}({','.join(map(str, self.parameters))})"


@dataclasses.dataclass(frozen=True, init=False)
class OwnCounts(Request):
    """The counts of a metric that has no kernel: what its own ``count`` returns."""

    metric: PairwiseMetric

    def __init__(self, metric: PairwiseMetric) -> None:
        for name, value in (("kernel", str(metric)), ("parameters", ()), ("metric", metric)):
            object.__setattr__(self, name, value)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the metric."""
        return self.metric.columns

    def count(self, pairs: Pairs, *, threads: int = 1, out: Floats | None = None) -> Floats:
        """Return the counts of the metric; ``threads`` and ``out`` are of kernels only."""
        name, shape = self.metric.name(), (len(pairs), len(self.columns))
        try:
            counts = np.asarray(self.metric.count(pairs), dtype=np.float64)
        except MetricError:
            raise
        except (TypeError, ValueError) as error:
            raise MetricError(f"{name}: count does not return numbers ({reason(error)})") from error
        if counts.shape != shape:
            raise MetricError(
                f"{name}: count returns an array of shape {counts.shape}; it must be {shape}, one row per document and one "
                "column for each of columns"
            )
        return counts

    def __str__(self) -> str:
        """Return the text of the metric."""
        return self.kernel


def count_requests(
    batches: Sequence[Pairs], requests: Sequence[Request], *, threads: int | None = 1
) -> list[dict[Request, Counts]]:
    """Count every request of every batch (several systems, say), all kernels in one pass over the documents.

    The counts do not depend on the number of threads; None is one per processor.
    """
    distinct = dict.fromkeys(requests)
    by_kernel = [request for request in distinct if not isinstance(request, OwnCounts)]
    wanted = _wanted(by_kernel)
    counted = [dict(zip(by_kernel, tables, strict=True)) for tables in run_kernels(batches, wanted, threads=threads)]
    for request in distinct:
        if isinstance(request, OwnCounts):
            for pairs, tables in zip(batches, counted, strict=True):
                tables[request] = Counts.of(request.count(pairs), request.columns)
    return counted


def count_in_blocks(pairs: Pairs, requests: Sequence[Request], size: int) -> Iterator[dict[Request, Floats]]:
    """Yield the counts of every request in blocks of ``size`` documents; the buffer is reused."""
    distinct = dict.fromkeys(requests)
    by_kernel = [request for request in distinct if not isinstance(request, OwnCounts)]
    for number, tables in enumerate(count_blocks(pairs, _wanted(by_kernel), size)):
        counted = dict(zip(by_kernel, tables, strict=True))
        for request in distinct:
            if isinstance(request, OwnCounts):
                counted[request] = request.count(pairs.between(number * size, (number + 1) * size))
        yield counted


def _wanted(requests: Sequence[Request]) -> list[tuple[Kernel, tuple[int, ...]]]:
    return [(_kernel(request.kernel), request.parameters) for request in requests]
