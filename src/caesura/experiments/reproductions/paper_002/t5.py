# SPDX-License-Identifier: Apache-2.0
"""Table 5: seven annotators of one article."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.datasets.bundled import bundled
from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.printed import Printed
from caesura.metrics import metric

__all__ = ["annotators"]

_CHOSEN = "4"


@item(
    "T5",
    "Seven annotators of the Stargazer article",
    otherwise="needs the text of the article, which is under copyright",
)
def annotators(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Score each annotator against the one that the paper takes for the hypothesis."""
    (document,) = bundled("stargazer")
    pk = metric("Pk")
    for name, own in document.annotations.items():
        both = pk(own, document.annotations[_CHOSEN]), pk(document.annotations[_CHOSEN], own)
        note = "the same either way round" if both[0] == both[1] else f"{both[1]:.3f} the other way round"
        yield Value(f"annotator {name}", f"Pk vs annotator {_CHOSEN}", both[0], note=note)
