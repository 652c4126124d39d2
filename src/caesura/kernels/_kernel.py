# SPDX-License-Identifier: Apache-2.0
"""A counting loop: its name, its columns, and its two entries."""

from __future__ import annotations

import functools
import importlib.util
import inspect
import pkgutil
from collections.abc import Mapping, Sequence
from types import ModuleType

import numpy as np
import numpy.typing as npt

from caesura import kernels as folder
from caesura.batches.pairs import Pairs
from caesura.declare import nearest
from caesura.errors import DeclarationError
from caesura.kernels._stretch import Stretch, arrays_of
from caesura.kernels._together import run_kernels

__all__ = ["Kernel", "cells", "compiled", "kernel", "kernel_names"]

Table = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_CELLS_EACH, _CELLS_MORE = 22, 32  # work space: per boundary of the largest document, and beside that
_LARGEST = 1 << 62  # parameters; sums of two of them fit 64 bits


class Kernel:
    """One counting loop: the names of its columns, and its two entries."""

    def __init__(self, name: str, columns: tuple[str, ...], module: ModuleType) -> None:
        self.name = name
        self.columns = columns
        self.module = module
        self._compiled = bool(module.COMPILED)
        self._run = getattr(module, f"count_{name}")
        run_one = getattr(module, f"count_{name}_one")
        self._by_bits = name in getattr(module, "BY_BITS", ())
        self._cells = getattr(module, f"scratch_{name}", None)
        #: The entry for one pair, if it is quicker than a batch of one: compiled, with the work space of `cells`.
        self.run_one = run_one if self._compiled and self._cells is None else None
        # After the units, both sides, the table and the work space.
        declared = list(inspect.signature(run_one).parameters.values())[5:]
        ranges: dict[str, tuple[int, int]] = getattr(module, "RANGES", {})
        #: The least and the greatest value of each parameter, in the order of the kernel.
        self.parameters = {each.name: ranges.get(each.name, (0, _LARGEST)) for each in declared}
        self.defaults = {each.name: int(each.default) for each in declared if each.default is not each.empty}
        places = [place for place, name in enumerate(columns) if name in getattr(module, "FRACTIONAL", ())]
        #: The columns that may hold fractions; they are neighbours.
        self.fractional = slice(places[0], places[-1] + 1) if places else slice(0, 0)

    def count(self, pairs: Pairs, parameters: tuple[int, ...], *, threads: int = 1, out: Table | None = None) -> Table:
        """Return the counts of every document, one row each; in ``out``, if a table of that shape is given."""
        parameters = self.checked(parameters)
        if threads > 1 and self._compiled:
            return run_kernels([pairs], [(self, parameters)], threads=threads)[0][0].array()
        stretch = Stretch(arrays_of(pairs))
        shape = (len(stretch), len(self.columns))
        out = np.empty(shape) if out is None or out.shape != shape else out
        self._fill(stretch, out, np.empty(self._room(stretch, parameters), dtype=np.int64), parameters)
        return out

    def arranged(self, given: Mapping[str, object]) -> tuple[int, ...]:
        """Return named parameters in the order of the kernel, its defaults where none is given."""
        unknown = next((name for name in given if name not in self.parameters), None)
        if unknown is not None:
            raise DeclarationError(f"kernel {self.name!r} has no parameter {unknown!r}; {self._what_it_takes()}")
        values = {**self.defaults, **given}
        missing = next((name for name in self.parameters if name not in values), None)
        if missing is not None:
            raise DeclarationError(f"kernel {self.name!r} needs the parameter {missing!r}; {self._what_it_takes()}")
        return self.checked([values[name] for name in self.parameters])

    def _what_it_takes(self) -> str:
        return f"it takes {', '.join(self.parameters)}" if self.parameters else "it takes none"

    def checked(self, parameters: Sequence[object]) -> tuple[int, ...]:
        """Return parameters, or raise unless they are as many whole numbers as the kernel takes, in its ranges."""
        if len(parameters) != len(self.parameters):
            raise DeclarationError(
                f"kernel {self.name!r} takes {len(self.parameters)} parameters "
                f"({', '.join(self.parameters) or 'none'}), not {len(parameters)}"
            )
        whole = []
        for (name, (least, most)), value in zip(self.parameters.items(), parameters, strict=True):
            if not isinstance(value, (int, np.integer)) or not least <= int(value) <= most:
                raise DeclarationError(
                    f"kernel {self.name!r}: {name} is {value!r}; it must be a whole number from {least} to "
                    f"{'2^62' if most == _LARGEST else most}"
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
            return cells(stretch.most)
        inputs = stretch.arrays if self._compiled else stretch.lists
        return int(self._cells(*inputs[1:], 0, len(stretch), *parameters))


def cells(boundaries: int) -> int:
    """Return the work space that a document of so many boundaries needs, unless its kernel says otherwise."""
    return _CELLS_EACH * boundaries + _CELLS_MORE


def kernel(name: str) -> Kernel:
    """Return a kernel by name, from the file of that name, or else from the file that declares it."""
    found = _declared(name).get(name) if name in _files() else None
    if found is None:
        found = _kernels().get(name)
    if found is None:
        raise DeclarationError(f"{name!r} is not a kernel; {nearest(name, kernel_names())}")
    return found


def kernel_names() -> list[str]:
    """Return the names of all kernels."""
    return list(_kernels())


def compiled() -> bool:
    """Say whether every kernel runs compiled, without importing any."""
    specs = [importlib.util.find_spec(f"{folder.__name__}.{file}") for file in _files()]
    return all(spec is not None and not (spec.origin or ".py").endswith(".py") for spec in specs)


@functools.cache
def _kernels() -> dict[str, Kernel]:
    """Collect the kernels of all files."""
    return {name: each for file in _files() for name, each in _declared(file).items()}


@functools.cache
def _files() -> tuple[str, ...]:
    return tuple(file.name for file in pkgutil.iter_modules(folder.__path__) if not file.name.startswith("_"))


@functools.cache
def _declared(file: str) -> dict[str, Kernel]:
    """Import a file, and return what it declares in its ``KERNELS``: names, and the columns of each."""
    module = importlib.import_module(f"{folder.__name__}.{file}")
    return {name: Kernel(name, columns, module) for name, columns in getattr(module, "KERNELS", {}).items()}
