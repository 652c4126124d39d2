# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the ``cython`` module, so that the kernels run uncompiled without the Cython package.

Only the names that the kernels use; every decorator returns what it is given, every type is a plain object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F")

compiled = False


class _Type:
    """A C type: subscripting it (a memoryview) or calling it (a cast) changes nothing."""

    def __getitem__(self, _: object) -> _Type:
        return self

    def __call__(self, value: Any) -> Any:
        return value


double = _Type()
floating = _Type()
float = _Type()  # noqa: A001  (Cython's name)
longlong = _Type()
uchar = _Type()
uint = _Type()
ulonglong = _Type()
void = _Type()
const = _Type()


class _NoGil:
    """Both ``with cython.nogil:`` and ``@cython.nogil``."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None

    def __call__(self, function: F) -> F:
        return function


nogil = _NoGil()


def cfunc(function: F) -> F:
    """Return the function."""
    return function


inline = cfunc


def exceptval(**_: object) -> Callable[[F], F]:
    """Return a decorator that returns the function."""
    return cfunc


locals = exceptval  # noqa: A001  (Cython's name)


def typedef(kind: _Type) -> _Type:
    """Return the type."""
    return kind


def cast(_: object, value: Any) -> Any:
    """Return the value."""
    return value


declare = cast
