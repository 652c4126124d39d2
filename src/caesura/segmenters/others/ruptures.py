# SPDX-License-Identifier: Apache-2.0
"""``ruptures:KernelCPD(kernel='cosine', pen=1)``: change points of the vectors, by ruptures."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, ClassVar

from caesura.declare import Card
from caesura.errors import DeclarationError
from caesura.scorers import Features
from caesura.segmentation import Segmentation
from caesura.segmenters.base import Cut
from caesura.segmenters.others.base import Library, parameters_of

__all__ = ["Ruptures"]

_SIZES = ("n_bkps", "pen", "epsilon")


class Ruptures(Library):
    """A search method of ruptures on the vectors of the units.

    ``n_bkps`` (a number, or ``'oracle'``: as many as the document has), ``pen`` or ``epsilon`` say how many change points
    there are, and go to ``predict``; other arguments to the class. More change points than fit are as many as fit.
    """

    family = "ruptures"
    form = "ruptures:CLASS(…, pen=…)"
    packages: ClassVar[tuple[str, ...]] = ("ruptures",)
    modules: ClassVar[tuple[str, ...]] = ("ruptures",)
    needs_vectors: ClassVar[bool] = True
    card = Card(title="change points by ruptures")

    def __post_init__(self) -> None:
        super().__post_init__()
        if sum(name in self.arguments for name in _SIZES) != 1:
            raise DeclarationError(
                f"{self}: give one of n_bkps, pen and epsilon, which say how many boundaries there are"
            )

    @property
    def oracle(self) -> bool:
        """Whether the number of change points is read from the document."""
        return self.arguments.get("n_bkps") == "oracle"

    def accepted(self, thing: object) -> Mapping[str, inspect.Parameter] | None:
        """Return the parameters of the class and of its ``predict``."""
        if not hasattr(thing, "predict"):
            raise DeclarationError(f"{self}: {self.target} does not search for change points; write ruptures:KernelCPD")
        return {**(parameters_of(thing) or {}), **(parameters_of(thing.predict) or {})}

    def build(self, features: Features) -> Any:
        """Make the search method; `jump` is 1, because every gap is a candidate."""
        given = {name: value for name, value in self.arguments.items() if name not in _SIZES}
        with self.making(features):
            return self.found(**{"jump": 1, **given})

    def cut(self, features: Features) -> Cut:
        """Search one document."""
        n, unit = features.n_units, features.document.unit
        made = self.kept(features)
        least = max(int(getattr(made, "min_size", 1)), 1)
        sizes = {name: self.arguments[name] for name in _SIZES if name in self.arguments}
        if "n_bkps" in sizes:
            wanted = features.n_reference - 1 if self.oracle else sizes["n_bkps"]
            sizes["n_bkps"] = min(wanted, n // least - 1) if isinstance(wanted, int) else wanted
        if n < 2 * least or sizes.get("n_bkps") in (0, -1):
            return Cut(Segmentation(n, unit=unit))
        with self.segmenting(features):
            ends = made.fit(features.vectors.astype(float)).predict(**sizes)
        return Cut(Segmentation(n, sorted({int(end) for end in ends} - {n}), unit=unit))
