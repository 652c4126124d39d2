# SPDX-License-Identifier: Apache-2.0
"""The column Precision_Omega of the benchmark's table."""

from __future__ import annotations

from collections.abc import Iterator

from caesura_reproductions.base import Found, Value, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_chroma2024._omega import CHUNKERS, omega
from caesura_reproductions.printed import Printed

__all__ = ["precision_omega"]


@item(
    "T1",
    "Precision_Omega of every chunker",
    otherwise="its chunks come from embeddings or a language model behind an API, and were not released",
)
def precision_omega(printed: Printed, data: Data) -> Iterator[Found]:
    """Score the chunkers that need no model: mean and population standard deviation over the questions, in per cent."""
    for chunker in CHUNKERS:
        scores = 100 * omega(chunker)
        yield Value(chunker, "mean", float(scores.mean()), note=f"mean over {len(scores)} questions")
        yield Value(chunker, "std", float(scores.std()), note="population standard deviation")
