# SPDX-License-Identifier: Apache-2.0
"""``semchunk:chunkerify(chunk_size=200)``: semchunk, which splits at the largest break that fits a size."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from caesura.declare import Card
from caesura.errors import DeclarationError
from caesura.scorers import Features
from caesura.segmenters.others.base import Library

__all__ = ["Semchunk"]

_COUNTERS: dict[str, Callable[[str], int]] = {"words": lambda text: len(text.split()), "characters": len}


class Semchunk(Library):
    """semchunk; ``count`` is ``'words'`` (default) or ``'characters'``, which ``chunk_size`` counts."""

    family = "semchunk"
    form = "semchunk:chunkerify(chunk_size=…)"
    packages: ClassVar[tuple[str, ...]] = ("semchunk",)
    modules: ClassVar[tuple[str, ...]] = ("semchunk",)
    card = Card(title="semchunk")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.target != "chunkerify" or "chunk_size" not in self.arguments:
            raise DeclarationError(f"{self}: write semchunk:chunkerify(chunk_size=200)")
        if self.arguments.get("count", "words") not in _COUNTERS:
            raise DeclarationError(f"{self}: count is {self.arguments['count']!r}; it must be 'words' or 'characters'")

    def accepted(self, thing: object) -> Mapping[str, inspect.Parameter] | None:
        """Return the parameters of semchunk, and ``count`` and ``overlap``."""
        found = dict(super().accepted(thing) or {})
        for name in ("count", "overlap"):
            found[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
        return found

    def build(self, features: Features) -> Any:
        """Make a chunker that counts words or characters."""
        given = {name: value for name, value in self.arguments.items() if name not in ("count", "overlap")}
        counter = _COUNTERS[self.arguments.get("count", "words")]
        with self.making(features):
            return self.found(counter, **given)

    def chunks(self, made: Any, text: str) -> list[object]:
        """Return the texts of the chunks."""
        overlap = self.arguments.get("overlap")
        return list(made(text) if overlap is None else made(text, overlap=overlap))
