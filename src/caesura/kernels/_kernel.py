# SPDX-License-Identifier: Apache-2.0
"""A counting loop: its name, its columns, and its two entries."""

from __future__ import annotations

import functools
import importlib
import inspect
import operator
import pkgutil
import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from caesura import kernels as folder
from caesura.batches.pairs import Pairs, check_comparable
from caesura.declare import nearest
from caesura.errors import DeclarationError
from caesura.kernels._stretch import Stretch, arrays_of
from caesura.kernels._together import run_kernels
from caesura.segmentation import Segmentation

__all__ = ["Kernel", "OnePair", "Row", "compiled", "kernel", "kernel_names"]

Table = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_CELLS_EACH, _CELLS_MORE = 22, 32  # work space: per boundary of the largest document, and beside that
_FEW = 91  # boundaries of a pair for which the work space is kept
_SMALL = _CELLS_EACH * _FEW + _CELLS_MORE
_LARGEST = 1 << 62  # parameters; sums of two of them fit 64 bits


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

    def __array__(self, dtype: None = None, copy: bool | None = None) -> Table:
        return np.fromiter(self, np.float64, len(self))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        arrays = [each.__array__() if isinstance(each, Row) else each for each in inputs]
        return getattr(ufunc, method)(*arrays, **options)

    def __getattr__(self, name: str) -> object:
        return getattr(self.__array__(), name)


OnePair = Callable[[Segmentation, Segmentation], Row]


class _Own(threading.local):
    """What each thread has of its own to count one pair: a table of one row, a reader of that row, and work space."""

    def __init__(self, width: int) -> None:
        table: Table = np.empty((1, width))
        scratch: Ints = np.empty(_SMALL, dtype=np.int64)
        self.room = table, table[0].tolist, scratch


class Kernel:
    """One counting loop: the names of its columns, and its two entries."""

    def __init__(self, name: str, columns: tuple[str, ...], module: ModuleType) -> None:
        self.name = name
        self.columns = columns
        self.module = module
        self._compiled = bool(module.COMPILED)
        self._run = getattr(module, f"count_{name}")
        self._run_one = getattr(module, f"count_{name}_one")
        self._by_bits = name in getattr(module, "BY_BITS", ())
        self._cells = getattr(module, f"scratch_{name}", None)
        # After the units, both sides, the table and the work space.
        self._parameters = list(inspect.signature(self._run_one).parameters)[5:]
        self._least: dict[str, int] = getattr(module, "LEAST", {})
        places = [place for place, name in enumerate(columns) if name in getattr(module, "FRACTIONAL", ())]
        #: The columns that may hold fractions; they are neighbours.
        self.fractional = slice(places[0], places[-1] + 1) if places else slice(0, 0)

    def count(
        self, pairs: Pairs, parameters: tuple[int, ...], *, threads: int = 1, out: Table | None = None
    ) -> Table:
        """Return the counts of every document, one row each; in ``out``, if a table of that shape is given."""
        parameters = self.checked(parameters)
        if threads > 1 and self._compiled:
            return run_kernels([pairs], [(self, parameters)], threads=threads)[0][0].array()
        stretch = Stretch(arrays_of(pairs))
        shape = (len(stretch), len(self.columns))
        out = np.empty(shape) if out is None or out.shape != shape else out
        self._fill(stretch, out, np.empty(self._room(stretch, parameters), dtype=np.int64), parameters)
        return out

    def checked(self, parameters: Sequence[object]) -> tuple[int, ...]:
        """Return parameters, or raise unless they are as many whole numbers as the kernel takes, in its range."""
        if len(parameters) != len(self._parameters):
            raise DeclarationError(
                f"kernel {self.name!r} takes {len(self._parameters)} parameters "
                f"({', '.join(self._parameters) or 'none'}), not {len(parameters)}"
            )
        whole = []
        for name, value in zip(self._parameters, parameters, strict=True):
            least = self._least.get(name, 0)
            if not isinstance(value, (int, np.integer)) or not least <= int(value) <= _LARGEST:
                raise DeclarationError(
                    f"kernel {self.name!r}: {name} is {value!r}; it must be a whole number from {least} to 2^62"
                )
            whole.append(int(value))
        return tuple(whole)

    def _fill(self, stretch: Stretch, out: Table, scratch: Ints, parameters: tuple[int, ...]) -> None:
        """Fill ``out`` with the counts of a stretch; ``scratch`` has at least `_room`."""
        if self._compiled:
            bits = stretch.bits if self._by_bits else ()
            self._run(*stretch.arrays, *bits, out, 0, len(stretch), scratch, *parameters)
        else:
            bit_lists = stretch.bit_lists if self._by_bits else ()
            self._run(*stretch.lists, *bit_lists, out, 0, len(stretch), [0] * len(scratch), *parameters)

    def _room(self, stretch: Stretch, parameters: tuple[int, ...]) -> int:
        """Return the work space that the largest document of a stretch needs, in cells."""
        if self._cells is None:
            return _CELLS_EACH * stretch.most + _CELLS_MORE
        inputs = stretch.arrays if self._compiled else stretch.lists
        return int(self._cells(*inputs[1:], 0, len(stretch), *parameters))

    def count_one(
        self, reference: Segmentation, hypothesis: Segmentation, parameters: tuple[int, ...]
    ) -> Table:
        """Return the counts of one pair, as one row."""
        check_comparable(reference, hypothesis)
        return np.array([self.for_one_pair(parameters, range(len(self.columns)))(reference, hypothesis)])

    def for_one_pair(self, parameters: tuple[int, ...], places: Sequence[int]) -> OnePair:
        """Return a function of two segmentations of the same units, which costs no batch: it returns the counts at some places."""
        parameters = self.checked(parameters)
        run, own = self._run_one, _Own(len(self.columns))
        # Of a single place `itemgetter` gives no row.
        pick = operator.itemgetter(*places) if len(places) > 1 else operator.itemgetter(slice(places[0], places[0] + 1))

        def count(reference: Segmentation, hypothesis: Segmentation) -> Row:
            ref, hyp = reference._packed, hypothesis._packed
            table, read, scratch = own.room
            boundaries = len(ref) + len(hyp)
            if boundaries > _FEW:
                scratch = np.empty(_CELLS_EACH * boundaries + _CELLS_MORE, dtype=np.int64)
            run(reference._n_units, ref, hyp, table, scratch, *parameters)
            return Row(pick(read()))

        def count_slowly(reference: Segmentation, hypothesis: Segmentation) -> Row:
            stretch = Stretch(arrays_of(Pairs.of(reference, hypothesis)))
            table, read, _ = own.room
            self._fill(stretch, table, np.empty(self._room(stretch, parameters), dtype=np.int64), parameters)
            return Row(pick(read()))

        return count if self._compiled and self._cells is None else count_slowly


def kernel(name: str) -> Kernel:
    """Return a kernel by name."""
    try:
        return _kernels()[name]
    except KeyError:
        raise DeclarationError(f"{name!r} is not a kernel; {nearest(name, kernel_names())}") from None


def kernel_names() -> list[str]:
    """Return the names of all kernels."""
    return list(_kernels())


def compiled() -> bool:
    """Say whether every kernel runs compiled."""
    return all(each.module.COMPILED for each in _kernels().values())


@functools.cache
def _kernels() -> dict[str, Kernel]:
    """Collect what each file declares in its ``KERNELS``: names, and the columns of each."""
    found: dict[str, Kernel] = {}
    for file in pkgutil.iter_modules(folder.__path__, prefix=f"{folder.__name__}."):
        if not file.name.rpartition(".")[2].startswith("_"):
            module = importlib.import_module(file.name)
            declared = getattr(module, "KERNELS", {})
            found |= {name: Kernel(name, columns, module) for name, columns in declared.items()}
    return found
