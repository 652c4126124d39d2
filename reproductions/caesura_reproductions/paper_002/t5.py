# SPDX-License-Identifier: Apache-2.0
"""Table 5: seven annotators of one article."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.datasets.bundled import bundled
from caesura.evaluation.agree.pairwise import against_annotator
from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.printed import Printed

__all__ = ["annotators"]

_CHOSEN = "4"


@item(
    "T5",
    "Seven annotators of the Stargazer article",
    otherwise="needs the text of the article, which is under copyright",
)
def annotators(printed: Printed, data: Data) -> Iterator[Found]:
    """Score each annotator against the one that the paper uses as the hypothesis."""
    (document,) = bundled("stargazer")
    for name, (score, exchanged) in against_annotator(document, _CHOSEN).items():
        note = "the same either way round" if score == exchanged else f"{exchanged:.3f} the other way round"
        yield Value(f"annotator {name}", f"Pk vs annotator {_CHOSEN}", score, note=note)
