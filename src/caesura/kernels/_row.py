# SPDX-License-Identifier: Apache-2.0
"""The counts of one pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

__all__ = ["Row"]

Table = npt.NDArray[np.float64]


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
