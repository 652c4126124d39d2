# SPDX-License-Identifier: Apache-2.0
"""The counts of one pair."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ["Row"]

Table = npt.NDArray[np.float64]


class Row(NDArrayOperatorsMixin):
    """The counts of one pair, from which ``counts[..., i]`` is a number and not an array: ten times cheaper to score.

    In everything else it is the array of its counts.

    >>> row = Row(np.array([[4.0, 1.0, 9.0]]), [2, 0])
    >>> float(row[..., 0]), row.sum().item(), (row * 2).tolist()
    (9.0, 13.0, [18.0, 8.0])
    """

    __slots__ = ("_item", "_pick", "_places", "_table")

    def __init__(self, table: Table, places: Sequence[int]) -> None:
        self._table = table
        self._item = table.item
        self._places = {(Ellipsis, number): place for number, place in enumerate(places)}
        self._pick = operator.itemgetter(*places, *places[:1])  # one more, since of a single place it gives no tuple

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._item(self._places[key])
        except (KeyError, TypeError):  # a key of another kind, or one that cannot be hashed
            return self.__array__()[key]

    def columns(self) -> tuple[float, ...]:
        """Return all counts as numbers, in less time than one by one."""
        numbers: tuple[float, ...] = self._pick(self._table.tolist()[0])
        return numbers[:-1]

    def __array__(self, dtype: None = None, copy: bool | None = None) -> Table:
        return self._table[0, list(self._places.values())]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        arrays = [each.__array__() if isinstance(each, Row) else each for each in inputs]
        return getattr(ufunc, method)(*arrays, **options)

    def __len__(self) -> int:
        return len(self._places)

    def __getattr__(self, name: str) -> object:
        return getattr(self.__array__(), name)
