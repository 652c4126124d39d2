# SPDX-License-Identifier: Apache-2.0
"""Table 3: One boundary moved."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_002._corpora import NEEDS
from caesura.experiments.reproductions.paper_002._correlations import correlations
from caesura.experiments.reproductions.printed import Printed

__all__ = ["transposition"]


@item("T3", "One boundary moved: correlation with reference metrics", needs=NEEDS)
def transposition(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Correlate the means over the levels."""
    yield from correlations(printed, data, "transposition")
