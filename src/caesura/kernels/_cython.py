# SPDX-License-Identifier: Apache-2.0
"""Stand-in for the ``cython`` module, so that the kernels run uncompiled without the Cython package.

Only the names that the kernels use; every decorator returns what it is given, every type is a plain object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = [
    "bint",
    "cast",
    "ccall",
    "cfunc",
    "compiled",
    "const",
    "declare",
    "double",
    "exceptval",
    "floating",
    "inline",
    "locals",
    "longlong",
    "nogil",
    "returns",
    "void",
]

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
longlong = _Type()
bint = _Type()
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


ccall = inline = cfunc


def exceptval(*_: object, **__: object) -> Callable[[F], F]:
    """Return a decorator that returns the function."""
    return cfunc


def returns(_: object) -> Callable[[F], F]:
    """Return a decorator that returns the function."""
    return cfunc


def locals(**_: object) -> Callable[[F], F]:  # noqa: A001  (Cython's name)
    """Return a decorator that returns the function."""
    return cfunc


def declare(_: object = None, value: Any = None, **__: object) -> Any:
    """Return the value."""
    return value


def cast(_: object, value: Any) -> Any:
    """Return the value."""
    return value
